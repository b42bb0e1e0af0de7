import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../model-server/server.ts';
import { AgentBed } from './agent-bed.ts';
import { ensureCodex } from './install-codex.ts';
import { codexEnv, filesBelow, makeCodexHome } from './user-home.ts';

/** mam and a real Codex. */
export class CodexBed extends AgentBed {
  static async open(): Promise<CodexBed> {
    const program = await ensureCodex();
    const model = await startModelServer();
    const home = await makeCodexHome(model.url);
    const env = codexEnv(home.path);
    const bed = new CodexBed({ home, model, env, program, name: 'codex' });
    await bed.ok(['init']);
    return bed;
  }

  /** Conversation files, by id. */
  override transcripts(): ReadonlyMap<string, string> {
    const folder = join(this.home.path, '.codex', 'sessions');
    const files = existsSync(folder) ? filesBelow(folder) : [];
    return new Map(files.map((file) => [idOf(file), readFileSync(file, 'utf8')]));
  }
}

function idOf(file: string): string {
  return /-([0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})\.jsonl$/.exec(file)?.[1] ?? '';
}
