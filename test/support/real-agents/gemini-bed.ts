import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../model-server/server.ts';
import { AgentBed } from './agent-bed.ts';
import { ensureGemini } from './install-gemini.ts';
import { filesBelow, geminiEnv, makeGeminiHome } from './user-home.ts';

/** mam and a real Gemini CLI. */
export class GeminiBed extends AgentBed {
  static async open(): Promise<GeminiBed> {
    const program = await ensureGemini();
    const home = await makeGeminiHome();
    const model = await startModelServer();
    const env = geminiEnv(home.path, model.url);
    const bed = new GeminiBed({ home, model, env, program, name: 'gemini' });
    await bed.ok(['init']);
    return bed;
  }

  /** Chat files, by name. */
  override transcripts(): ReadonlyMap<string, string> {
    const chats = filesBelow(join(this.home.path, '.gemini', 'tmp')).filter((path) =>
      /\/session-[^/]*\.jsonl$/.test(path),
    );
    return new Map(chats.map((path) => [path, readFileSync(path, 'utf8')]));
  }

  override transcriptOf(conversationId: string): string | undefined {
    return this.transcripts().get(this.chatsOf(conversationId)[0] ?? '');
  }

  /** Those of one conversation. */
  chatsOf(conversationId: string): readonly string[] {
    const end = `-${conversationId.slice(0, 8)}.jsonl`;
    return [...this.transcripts().keys()].filter((path) => path.endsWith(end));
  }
}
