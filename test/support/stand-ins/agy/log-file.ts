import { appendFileSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** `log/cli-YYYYMMDD_HHMMSS.log` and the link to the newest. */
export class LogFile {
  readonly #path: string;

  constructor(folder: string, given: string | undefined) {
    const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 15);
    const log = join(folder, 'log');
    this.#path = given ?? join(log, `cli-${stamp}.log`);
    mkdirSync(log, { recursive: true });
    this.#link(join(folder, 'cli.log'));
  }

  /** Two that start at once both try. */
  #link(link: string): void {
    try {
      rmSync(link, { force: true });
      symlinkSync(this.#path, link);
    } catch {
      // The other one was quicker.
    }
  }

  line(text: string): void {
    appendFileSync(this.#path, `I ${process.pid} ${text}\n`, { mode: 0o600 });
  }
}
