import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../model-server/server.ts';
import { AgentBed } from './agent-bed.ts';
import { ensureCline } from './install-cline.ts';
import { clineEnv, makeClineHome } from './user-home.ts';

/** mam and a real Cline. */
export class ClineBed extends AgentBed {
  static async open(): Promise<ClineBed> {
    const program = await ensureCline();
    const model = await startModelServer();
    const home = await makeClineHome(model.url);
    const env = clineEnv(home.path);
    const bed = new ClineBed({ home, model, env, program, name: 'cline' });
    await bed.ok(['init']);
    return bed;
  }

  /** Of the user. */
  get clineFolder(): string {
    return join(this.home.path, '.cline');
  }

  /** Conversation files, by id. */
  override transcripts(): ReadonlyMap<string, string> {
    const sessions = join(this.clineFolder, 'data', 'sessions');
    const ids = existsSync(sessions) ? readdirSync(sessions) : [];
    return new Map(
      ids.map((id) => [id, readFileSync(join(sessions, id, `${id}.messages.json`), 'utf8')]),
    );
  }
}
