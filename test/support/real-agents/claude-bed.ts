import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../model-server/server.ts';
import { AgentBed } from './agent-bed.ts';
import { type ClaudeVersion, ensureClaude } from './install-claude.ts';
import { makeUserHome, userEnv } from './user-home.ts';

/** mam and a real Claude Code. */
export class ClaudeBed extends AgentBed {
  static async open(version: ClaudeVersion): Promise<ClaudeBed> {
    const program = await ensureClaude(version);
    const home = await makeUserHome();
    const model = await startModelServer();
    const env = userEnv(home.path, model.url);
    const bed = new ClaudeBed({ home, model, env, program, name: 'claude' });
    await bed.ok(['init']);
    return bed;
  }

  /** Conversation files of the project, by id. */
  override transcripts(): ReadonlyMap<string, string> {
    const projects = join(this.home.path, '.claude', 'projects');
    const found = new Map<string, string>();
    for (const name of readdirSync(projects, { recursive: true, encoding: 'utf8' })) {
      const id = /([0-9a-f-]{36})\.jsonl$/.exec(name)?.[1];
      if (id) found.set(id, readFileSync(join(projects, name), 'utf8'));
    }
    return found;
  }
}
