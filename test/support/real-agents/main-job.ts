import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { until } from '../until.ts';
import type { AgentBed } from './agent-bed.ts';

const LINE =
  'Prüfe das: 안녕하세요 世界 こんにちは 🙂👩‍💻\tTAB\tend; naïve `code` $HOME #{x} "quoted"\n';
/** 3 KB with CJK, emoji and tabs. An echo of it would be taken for a loop by some. */
const LONG = `${LINE.repeat(Math.ceil(3_072 / Buffer.byteLength(LINE)))}The last line. [[say read]]`;

/** In what one agent is not as the others are. */
export interface MainJobTraits {
  /** What the model gets of a text that was sent. Default: the text. */
  readonly asReceived?: (sent: string) => string;
  /** What the agent puts around it. Default: nothing. */
  readonly unwrapped?: (prompt: string) => string;
  /** Whether a process is one of a session's. */
  readonly isOwn: (command: string, conversationId: string) => boolean;
}

/** What agents differ in, as it was seen. */
export interface MainJobSeen {
  /** What proved that a prompt was taken. */
  readonly evidence: string | undefined;
  /** How many processes ended with the session. */
  readonly processes: number;
  /** Whether the model got the first prompt again after the resume. */
  readonly keptFirst: boolean;
}

/** Created, spoken to, stopped, resumed on its own conversation, purged: what mam is for. */
export async function doMainJob(bed: AgentBed, traits: MainJobTraits): Promise<MainJobSeen> {
  const { asReceived = same, unwrapped = same } = traits;
  const prompts = () => bed.prompts().map(unwrapped);
  const idOf = async (name: string) => (await bed.session(name)).conversation_id ?? '';

  // Trust is answered by rule: the folder lies in a workspace that this user made.
  const created = await bed.create('api', ['--prompt', LONG]);
  expect(created.json.delivery.state).toBe('submitted');
  await bed.reaches('api', 'idle');
  expect(prompts()).toEqual([asReceived(LONG)]);
  const id = await idOf('api');
  expect(bed.transcriptOf(id)).toContain('The last line.');

  const evidence = await getsShellCharacter(bed);
  await tellsItsStates(bed);

  // Another conversation in the same folder, which nothing below may touch.
  await bed.create('other', ['--prompt', 'I am the other one']);
  await bed.reaches('other', 'idle');
  const otherId = await idOf('other');
  expect(bed.transcripts().size).toBe(2);

  const own = () => bed.processes().filter((pid) => traits.isOwn(bed.commandOf(pid), id)).length;
  const both = own();
  const stopped = await bed.ok(['stop', 'api', '--json']);
  const processes = both - own();
  expect(stopped.json.sessions[0]).toMatchObject({
    ...{ status: 'stopped', survivors: [], ended_by: 'exit' },
  });

  const resumed = await bed.ok(['resume', 'api', '--prompt', 'and now?', '--json']);
  expect(resumed.json.sessions[0]).toMatchObject({
    ...{ name: 'api', status: 'running', conversation_id: id },
  });
  await bed.reaches('api', 'idle');
  expect(prompts().at(-1)).toBe('and now?');
  // A blank before `!` keeps some from taking it for a command.
  const turns = bed.turns().map((turn) => unwrapped(turn.trim()).trim());
  expect(turns).toEqual(expect.arrayContaining(['!touch ran-by-shell', 'thought', 'finished']));
  const keptFirst = turns.includes(asReceived(LONG));
  expect(bed.transcriptOf(id)).toMatch(/The last line\.[\s\S]*and now\?/);
  expect(await idOf('api')).toBe(id);
  expect(bed.transcripts().size).toBe(2);

  const purged = await bed.ok(['stop', 'api', '--purge-conversation', '--json']);
  expect(purged.json.sessions[0]).toMatchObject({ status: 'terminated', resumable: false });
  expect(bed.transcriptOf(id)).toBeUndefined();
  expect(bed.transcriptOf(otherId)).toContain('I am the other one');
  expect((await bed.session('other')).activity.state).toBe('idle');
  await bed.ok(['stop', '--all']);
  await until('everything ended', () => bed.processes().length === 0);
  return { evidence, processes, keptFirst };
}

/** What an agent would run in a shell if it were typed must arrive as text. */
async function getsShellCharacter(bed: AgentBed): Promise<string | undefined> {
  const { json } = await bed.ask('api', '!touch ran-by-shell');
  expect(json.delivery).toMatchObject({ state: 'answered', answer: 'echo: !touch ran-by-shell' });
  expect(bed.prompts().at(-1)).toBe('!touch ran-by-shell');
  expect(existsSync(join(bed.cwd, 'ran-by-shell'))).toBe(false);
  return json.delivery.evidence.source;
}

async function tellsItsStates(bed: AgentBed): Promise<void> {
  expect((await bed.session('api')).activity.state).toBe('idle');
  const slow = bed.ask('api', 'think [[delay 4000]] [[say thought]]');
  await bed.reaches('api', 'working');
  expect((await slow).json.delivery.answer).toBe('thought');
  const made = join(bed.cwd, 'made-by-tool');
  for (const choice of ['no', 'yes']) {
    await bed.ok(['send', 'api', `please [[bash touch ${made}]] [[say finished]]`]);
    await bed.reaches('api', 'awaiting-approval');
    expect((await bed.session('api')).activity.detail).toBe('permission');
    const blocked = await bed.mam(['send', 'api', '1 more thing', '--json']);
    expect([blocked.code, blocked.json.delivery.state]).toEqual([9, 'refused']);
    expect(existsSync(made)).toBe(false);
    await bed.ok(['answer', 'api', choice]);
    await bed.reaches('api', 'idle');
    expect(existsSync(made)).toBe(choice === 'yes');
  }
}

const same = (text: string) => text;
