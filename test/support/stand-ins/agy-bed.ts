import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseJsonLines, stringAt } from '../../../src/agents/shared/json.ts';
import { bundleFolder, type CliResult, TestBed } from '../test-bed.ts';
import { until } from '../until.ts';

/** A bed in which `agy` is the stand-in, signed in, its first run's questions answered before. */
export class AgyBed extends TestBed {
  readonly #knobs: string[] = [];

  /** @param knobs - `STUB_AGY_*` without the beginning, as every agent of the bed has them. */
  static async prepare(knobs: Readonly<Record<string, string>> = {}): Promise<AgyBed> {
    const bed = new AgyBed();
    bed.env.PATH = `${bundleFolder('stand-ins')}/bin:${bed.env.PATH}`;
    for (const [name, value] of Object.entries(knobs)) {
      bed.env[`STUB_AGY_${name}`] = value;
      bed.#knobs.push(`STUB_AGY_${name}`);
    }
    mkdirSync(bed.agyFolder, { recursive: true });
    bed.writeAgySettings({ onboardingComplete: true });
    await bed.ok(['init']);
    return bed;
  }

  get agyFolder(): string {
    return join(this.home, '.gemini', 'antigravity-cli');
  }

  get realCwd(): string {
    return realpathSync(this.cwd);
  }

  writeAgySettings(settings: Readonly<Record<string, unknown>>): void {
    writeFileSync(join(this.agyFolder, 'settings.json'), JSON.stringify(settings));
  }

  /** Its own settings, as it left them. */
  agySettings(): Readonly<Record<string, unknown>> {
    return JSON.parse(readFileSync(join(this.agyFolder, 'settings.json'), 'utf8'));
  }

  createAgy(name: string, options: readonly string[] = []): Promise<CliResult> {
    const env = this.#knobs.flatMap((knob) => ['--env', knob]);
    const base = ['create', name, '--agent', 'agy', '--role', 'creator', '--json'];
    return this.mam([...base, ...env, ...options]);
  }

  /** Ids of the conversations that the program has, by its own files. */
  conversations(): readonly string[] {
    return readdirSync(join(this.agyFolder, 'conversations')).flatMap(
      (name) => /^(.*)\.db$/.exec(name)?.[1] ?? [],
    );
  }

  /** Everything below the program's folder that carries an id. */
  filesOf(id: string): readonly string[] {
    const all = readdirSync(this.agyFolder, { recursive: true, encoding: 'utf8' });
    return all.filter((path) => path.includes(id));
  }

  /** What was asked in a conversation, as the program itself wrote it down: the ground truth. */
  prompts(id: string): readonly string[] {
    const logs = join(this.agyFolder, 'brain', id, '.system_generated', 'logs');
    return parseJsonLines(readFileSync(join(logs, 'transcript_full.jsonl'), 'utf8'))
      .filter((record) => isRecord(record) && record.type === 'USER_INPUT')
      .map((record) => stringAt(record, 'content') ?? '')
      .map((content) => /<USER_REQUEST>\n([\s\S]*)\n<\/USER_REQUEST>/.exec(content)?.[1] ?? '');
  }

  /** Keys of a person's at the session's terminal. */
  press(name: string, ...keys: readonly string[]): void {
    this.tmux('send-keys', '-t', `=agy-creator-${name}:`, ...keys);
  }

  /** Waits until the session's terminal shows it. */
  async see(name: string, text: string): Promise<void> {
    const target = `=agy-creator-${name}:`;
    const shown = () => this.tmux('capture-pane', '-p', '-t', target).stdout.includes(text);
    await until(`"${name}" shows ${text}`, shown);
  }
}
