import { setTimeout as delay } from 'node:timers/promises';
import { type CliResult, finished, type TestBed } from '../test-bed.ts';
import type { Random } from './random.ts';

/** One command of a round, and what became of it. */
export interface Step {
  readonly kind: 'create' | 'resume' | 'stop' | 'purge' | 'send' | 'status' | 'answer' | 'capture';
  readonly name: string;
  readonly args: readonly string[];
  /** Of a send: the text, which is sent once only in the whole run. */
  readonly text?: string;
}

export interface Done extends Step {
  readonly result: CliResult;
  /** It ended by itself with 0, so what it promised must hold. */
  readonly isAcknowledged: boolean;
}

const COMMANDS = 8;

/** Eight commands on a few sessions, such as a person and some scripts might give at the same time. */
export function planRound(round: number, names: readonly string[], random: Random): Step[] {
  const name = () => names[random.int(0, names.length - 1)] ?? '';
  return Array.from({ length: COMMANDS }, (_, i) => planStep(name(), `r${round}c${i}`, random));
}

function planStep(name: string, mark: string, random: Random): Step {
  const create = ['create', name, '--agent', 'demo', '--role', 'creator', '--timeout', '30'];
  const kinds: readonly [Step['kind'], ...Step['kind'][]] = [
    ...(['create', 'create', 'resume', 'resume', 'stop', 'stop', 'purge'] as const),
    ...(['send', 'send', 'status', 'answer', 'capture'] as const),
  ];
  const kind = random.pick(kinds);
  switch (kind) {
    case 'create': {
      const prompt = random.chance(0.3) ? ['--prompt', `${mark} first`] : [];
      const text = prompt[1];
      return { kind, name, args: [...create, ...prompt], ...(text === undefined ? {} : { text }) };
    }
    case 'resume':
      return { kind, name, args: ['resume', name, '--fresh', '--timeout', '30'] };
    case 'stop':
      return {
        kind,
        name,
        args: ['stop', name, ...(random.chance(0.4) ? ['--grace-ms', '0'] : [])],
      };
    case 'purge':
      return { kind, name, args: ['stop', name, '--purge-conversation'] };
    case 'send': {
      const text = random.chance(0.3) ? `${mark} [[permission ls]]` : mark;
      return { kind, name, args: ['send', name, text, '--id', mark, '--timeout', '3'], text };
    }
    case 'status':
      return { kind, name, args: ['status'] };
    case 'answer':
      return { kind, name, args: ['answer', name, 'yes'] };
    case 'capture':
      return { kind, name, args: ['capture', name] };
  }
}

/** Runs all of them at once; most are killed with -9 somewhere between their start and their end. */
export function runRound(
  bed: TestBed,
  steps: readonly Step[],
  random: Random,
): Promise<readonly Done[]> {
  return Promise.all(steps.map((step) => runStep(bed, step, random.fork())));
}

async function runStep(bed: TestBed, step: Step, random: Random): Promise<Done> {
  const child = bed.start([...step.args, '--json']);
  const isOver = new AbortController();
  const ended = finished(child).finally(() => isOver.abort());
  if (random.chance(0.8)) {
    const afterMs = random.int(0, random.pick([200, 1000, 3000]));
    await delay(afterMs, undefined, { signal: isOver.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
  }
  const result = await ended;
  return { ...step, result, isAcknowledged: result.code === 0 };
}
