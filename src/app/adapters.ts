import { agentAdapters } from '../agents/index.ts';
import { lostAgent } from '../agents/lost.ts';
import { isMamError, MamError } from '../domain/errors.ts';
import type { AgentAdapter } from '../ports/agent-adapter.ts';
import type { Files } from '../ports/files.ts';
import type { AdapterSet } from '../services/fleet/context.ts';

export interface AdapterPlaces {
  readonly files: Files;
  /** The bundled demo agent, run with the Node that runs us. */
  readonly demoAgent: string;
  /** Folders of cards, absolute; what stands in a later one counts. */
  readonly cardFolders: readonly string[];
}

/** Also part of names in tmux and in the YAML face. */
const KIND = /^[a-z][a-z0-9]{1,31}$/;
const CARD_FILE = /^(.+)\.ya?ml$/;
const LARGEST_CARD_BYTES = 256 * 1024;

const builtIn: Readonly<Record<string, AgentAdapter>> = agentAdapters;

/** Every agent: those of code, and those of cards, which are read when somebody asks for them. */
export function openAdapters(places: AdapterPlaces): AdapterSet {
  return new Adapters(places);
}

class Adapters implements AdapterSet {
  readonly #places: AdapterPlaces;
  readonly #loaded = new Map<string, AgentAdapter>();
  readonly #faults = new Map<string, MamError>();
  /** What was read of a card's file. */
  readonly #stamps = new Map<string, string>();

  constructor(places: AdapterPlaces) {
    this.#places = places;
  }

  get kinds(): readonly string[] {
    const kinds = [...Object.keys(builtIn), ...this.#cardFiles().keys()];
    return kinds.filter((kind) => KIND.test(kind)).sort();
  }

  get(kind: string): AgentAdapter {
    return this.#find(kind) ?? lostAgent(kind);
  }

  named(kind: string): AgentAdapter {
    const found = this.#find(kind);
    if (found) return found;
    const { kinds } = this;
    throw (
      this.#faults.get(kind) ??
      new MamError(
        'usage.invalid',
        `There is no agent ${JSON.stringify(kind)}; there are ${kinds.join(', ')}.`,
        { agent: kind, known: kinds },
      )
    );
  }

  async load(kinds: readonly string[]): Promise<void> {
    const cards = new Set(kinds.filter((kind) => !Object.hasOwn(builtIn, kind)));
    if (cards.size === 0) return;
    const files = this.#cardFiles();
    for (const kind of cards) {
      const path = files.get(kind);
      if (path === undefined) this.#forget(kind);
      else await this.#read(kind, path);
    }
  }

  builtIn(binary: string): readonly string[] | undefined {
    return binary === 'mam-demo-agent' ? [process.execPath, this.#places.demoAgent] : undefined;
  }

  #find(kind: string): AgentAdapter | undefined {
    return Object.hasOwn(builtIn, kind) ? builtIn[kind] : this.#loaded.get(kind);
  }

  #cardFiles(): ReadonlyMap<string, string> {
    const { files, cardFolders } = this.#places;
    const found = new Map<string, string>();
    for (const folder of cardFolders) {
      for (const name of files.list(folder)) {
        const kind = CARD_FILE.exec(name)?.[1];
        // What is made of code and was tested is not replaced by data.
        if (kind !== undefined && !Object.hasOwn(builtIn, kind))
          found.set(kind, `${folder}/${name}`);
      }
    }
    return found;
  }

  #forget(kind: string): void {
    this.#loaded.delete(kind);
    this.#faults.delete(kind);
    this.#stamps.delete(kind);
  }

  async #read(kind: string, path: string): Promise<void> {
    const { files } = this.#places;
    const stat = files.stat(path);
    const stamp = `${path} ${stat?.modifiedMs} ${stat?.sizeBytes}`;
    if (this.#stamps.get(kind) === stamp) return;
    this.#forget(kind);
    this.#stamps.set(kind, stamp);
    try {
      if (!KIND.test(kind)) throw badName(path);
      const text = files.readPart(path, LARGEST_CARD_BYTES, 'start') ?? '';
      const { parseAgentCard } = await import('../drivers/yaml/agent-card-parser.ts');
      const { cardAgent } = await import('../agents/card/index.ts');
      this.#loaded.set(kind, cardAgent(kind, parseAgentCard(text, path)));
    } catch (error) {
      if (!isMamError(error)) throw error;
      this.#faults.set(kind, error);
    }
  }
}

function badName(path: string): MamError {
  return new MamError(
    'config.invalid',
    `${path}: an agent's name is 2 to 32 of a-z and digits, and begins with a letter.`,
    { path },
  );
}

/** Under which key each agent's conversation id stands in the YAML face, where it has one of its own. */
export function conversationKeys(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(builtIn).map(([kind, { card }]) => [kind, card.conversationIdKey]),
  );
}
