import {
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crashPoint } from '../../base/crash-point.ts';
import { readIfThere, syncFolder } from '../../base/file-io.ts';
import { unreadable } from '../../domain/errors.ts';
import type { HostLock } from '../../ports/lock.ts';
import type { FaceReport, RegistryFace, RegistryReader } from '../../ports/registry.ts';
import { faceStamp } from '../../protocol/face-stamp.ts';
import { readFaceRevision, renderFace } from '../../protocol/yaml-face.ts';

const LOCK_TIMEOUT_MS = 1_000;
/** A face is written again when the registry moved on meanwhile; whoever moved it writes it too. */
const MAX_ROUNDS = 5;

export interface FaceFileOptions {
  /** Absolute path of agent-sessions.yaml. */
  readonly path: string;
  /** Where the identity of the face as it was written is noted. */
  readonly stampPath: string;
  readonly lock: HostLock;
  readonly read: <T>(fn: (reader: RegistryReader) => T) => T;
  readonly conversationKeys: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

/**
 * Writes the registry's readable face so that no edit by hand is ever overwritten and a kill at any
 * step leaves either the old face, the new one, or no face and a good `.bak`.
 */
export class FaceFile implements RegistryFace {
  readonly #options: FaceFileOptions;

  constructor(options: FaceFileOptions) {
    this.#options = options;
  }

  async write(): Promise<FaceReport> {
    return this.#options.lock.tryHold(LOCK_TIMEOUT_MS, () => this.#writeLocked()) ?? {};
  }

  async writeAndForget(): Promise<FaceReport> {
    const report = this.#options.lock.tryHold(LOCK_TIMEOUT_MS, () => ({
      ...this.#writeLocked(),
      ...this.#forgetFormer(),
    }));
    if (report) return report;
    throw new Error(`another process is writing it, and ${this.#backup} may hold a former one`);
  }

  #writeLocked(): FaceReport {
    let report: FaceReport = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      crashPoint('face.W1');
      const { revision, text } = this.#render();
      const present = readFace(this.#options.path);
      if (present !== undefined && readFaceRevision(present) === revision) break;
      crashPoint('face.W2');
      report = { ...report, ...this.#replace(text) };
    }
    return report;
  }

  #render(): { revision: number; text: string } {
    return this.#options.read((reader) => {
      const revision = reader.revision();
      const text = renderFace({
        revision,
        sessions: reader.sessions(),
        identities: reader.identities(),
        conversationKeys: this.#options.conversationKeys,
      });
      return { revision, text };
    });
  }

  /** Steps W3 to W7. Returns without a new face when somebody saved one in the meantime. */
  #replace(text: string): FaceReport {
    const { path } = this.#options;
    const backup = this.#backup;
    const temporary = this.#temporary;
    // After a kill it may be a second name of the face itself, which is never written into.
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    crashPoint('face.W3');
    // An editor that had the former face open has since written into what is now the backup.
    let report = this.#setAsideIfEdited(backup);
    crashPoint('face.W4');
    renameIfThere(path, backup);
    crashPoint('face.W5');
    report = { ...report, ...this.#setAsideIfEdited(backup) };
    crashPoint('face.W6');
    linkUnlessThere(temporary, path);
    crashPoint('face.W7');
    rmSync(temporary, { force: true });
    syncFolder(dirname(path));
    this.#stamp();
    return report;
  }

  /** An edit that somebody wrote into the backup since is set aside, as ever. */
  #forgetFormer(): FaceReport {
    const report = this.#setAsideIfEdited(this.#backup);
    for (const former of [this.#backup, this.#temporary]) rmSync(former, { force: true });
    syncFolder(dirname(this.#options.path));
    return report;
  }

  get #backup(): string {
    return `${this.#options.path}.bak`;
  }

  get #temporary(): string {
    return `${this.#options.path}.new`;
  }

  /** Lets a reader see without reading the face that nobody has touched it since. */
  #stamp(): void {
    const { path, stampPath } = this.#options;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat)
      writeFileSync(stampPath, faceStamp(stat.ino, stat.size, stat.mtimeMs), { mode: 0o600 });
  }

  #setAsideIfEdited(path: string): FaceReport {
    const text = readFace(path);
    if (text === undefined || readFaceRevision(text) !== undefined) return {};
    const aside = this.#freeName();
    renameSync(path, aside);
    const reason = 'it was edited by hand; the registry does not take edits in yet';
    return { setAside: { path: aside, reason } };
  }

  #freeName(): string {
    const { path, now } = this.#options;
    const stamp = now().toISOString().replace(/[:.]/g, '-');
    const taken = new Set(readdirSync(dirname(path)));
    let name = `${basename(path)}.edited-${stamp}`;
    for (let n = 2; taken.has(name); n++) name = `${basename(path)}.edited-${stamp}-${n}`;
    return join(dirname(path), name);
  }
}

function readFace(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** `link` never overwrites: a face saved in this moment stays, and is looked at in the next round. */
function linkUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    // A file system without hard links: exclusive creation keeps the promise.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error;
    createUnlessThere(to, readFileSync(from, 'utf8'));
  }
}

function createUnlessThere(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
