import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { until } from '../until.ts';
import { type AgentBed, ANSWERED, createArgs } from './agent-bed.ts';

const LATE = 'think [[delay 90000]] [[say late]]';

/** Of a session whose permissions are skipped. */
export async function runsToolUnasked(bed: AgentBed): Promise<void> {
  const made = join(bed.cwd, 'made-by-tool');
  const done = await bed.ask('api', `please [[bash touch ${made}]] [[say done]]`);
  expect(done.json.delivery).toMatchObject({ state: 'answered', answer: 'done' });
  expect(existsSync(made)).toBe(true);
}

/** A turn that is interrupted, and one that fails: who waits for the answer is told at once. */
export async function tellsOfLostTurns(bed: AgentBed): Promise<void> {
  const asking = bed.mam(['send', 'api', LATE, ...ANSWERED]);
  await bed.reaches('api', 'working');
  await until('the model is asked', () => bed.prompts().at(-1)?.startsWith('think'));
  await bed.press('api', 'Escape');
  const lost = [await asking, await bed.mam(['send', 'api', 'fail [[error 401]]', ...ANSWERED])];
  for (const { code, json } of lost) expect([code, json.delivery.state]).toEqual([12, 'submitted']);
}

/** In the midst of a turn it takes no word: it is ended by a signal. */
export async function stopsWhileAtWork(bed: AgentBed): Promise<void> {
  await bed.ok(['send', 'api', LATE]);
  await bed.reaches('api', 'working');
  const { json } = await bed.ok(['stop', 'api', '--json']);
  expect(json.sessions[0]).toMatchObject({ status: 'stopped', survivors: [], ended_by: 'term' });
  await bed.ok(['stop', '--all']);
  await until('everything ended', () => bed.processes().length === 0);
}

/** Where nobody is logged in, and the program asks for it. */
export async function waitsForLogin(bed: AgentBed): Promise<void> {
  const args = [...createArgs(bed.agent, 'api'), '--prompt', 'hello', '--timeout', '30'];
  expect((await bed.mam(args)).code).toBe(5);
  expect((await bed.session('api')).activity).toMatchObject({
    ...{ state: 'awaiting-answer', detail: 'login' },
  });
  await bed.ok(['stop', 'api']);
}

/** Where it is known before. */
export async function refusesLoggedOut(bed: AgentBed): Promise<void> {
  const refused = await bed.mam(createArgs(bed.agent, 'b'));
  expect(refused.json.error.code).toBe('agent.logged-out');
}
