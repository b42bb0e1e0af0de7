/**
 * The file system, as far as services need it. Paths are absolute. Everything made is owner-only. What
 * is there and cannot be read is `file.unreadable`, with its path.
 */
export interface Files {
  /** Undefined when it is not there. */
  readText(path: string): string | undefined;
  /** At most `maxBytes` from the start, or from the end. */
  readPart(path: string, maxBytes: number, from: 'start' | 'end'): string | undefined;
  stat(path: string): FileStat | undefined;
  /** Names in a folder, sorted; empty when it is not there. */
  list(path: string): readonly string[];
  /** Absolute paths that match; `*` stands for one path component. */
  glob(pattern: string): readonly string[];
  realPath(path: string): string | undefined;
  makeFolder(path: string): void;
  /** By a temporary file, fsync and rename. */
  writeAtomic(path: string, content: string): void;
  /** The same for a file that is not ours: it keeps its mode, and a new one is owner-only. */
  replace(path: string, content: string): void;
  write(path: string, content: string, mode: number): void;
  /** Does nothing when `from` is not there. */
  rename(from: string, to: string): void;
  copyAsset(name: string, to: string): void;
  /** Makes a symbolic link at `path`. */
  link(target: string, path: string): void;
  remove(path: string): void;
  /** Calls back when something in the folder changes; undefined where that cannot be watched. */
  watch(folder: string, onChange: () => void): Disposable | undefined;
  /** Resolves when something in the folder changed or the time is over. */
  waitForChange(folder: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'other';
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  readonly uid: number;
  readonly device: number;
  readonly inode: number;
  readonly readable: boolean;
}
