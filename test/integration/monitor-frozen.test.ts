import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/domain/settings.ts';
import { nodeFiles } from '../../src/drivers/node/files.ts';
import { openProcessTable } from '../../src/drivers/node/process-table.ts';
import type { Finding, FleetCare, World } from '../../src/ports/fleet-care.ts';
import { Monitor } from '../../src/services/monitor/monitor.ts';
import { exampleObservation } from '../support/example-observation.ts';
import { exampleSession } from '../support/example-session.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RegistryBed } from '../support/registry-bed.ts';

const MINUTE_MS = 60_000;

/** A fleet of one session, as the test says it is, and what the monitor does to it. */
class OneSession implements FleetCare {
  isDead = false;
  readonly looks: boolean[] = [];
  readonly acts: string[] = [];
  readonly #session = exampleSession('a');

  survey() {
    return { look: async ({ isFirstLook }: { isFirstLook: boolean }) => this.#look(isFirstLook) };
  }

  async act({ action, session }: Finding) {
    this.acts.push(`${action} ${session}`);
    return 'done' as const;
  }

  async recover() {}
  drain() {}
  async deliverWaiting() {}
  attend = async () => [];
  async resume() {}
  send = async () => 'submitted' as const;
  isServerAlive = () => true;

  #look(isFirstLook: boolean): World {
    this.looks.push(isFirstLook);
    const dead = { agentAlive: false, exit: { status: 1, atMs: 1, hungUp: false } };
    const seen = exampleObservation({ session: this.#session, ...(this.isDead ? dead : {}) });
    const session = {
      ...({ seen, isHeld: false, endsAs: 'terminated', otherLaunch: null } as const),
      ...({ wasLifeless: true, conversation: 'unknown', movedTo: null } as const),
    };
    return {
      ...({ isFirstLook, server: 'up', sessions: [session] } as const),
      ...{ serverPid: null, strangers: [], leftovers: [], mayAdopt: true },
    };
  }
}

async function withMonitor(
  fn: (fleet: OneSession, clock: ManualClock) => Promise<void>,
): Promise<void> {
  using bed = new RegistryBed();
  const registry = bed.open();
  const clock = new ManualClock();
  const care = new OneSession();
  const ending = new AbortController();
  const monitor = new Monitor({
    context: {
      workspace: { root: '/ws', stateFolder: bed.root, id: 'w', host: 'h', isOurs: true },
      settings: defaultSettings,
      registry,
      care,
      processes: openProcessTable(),
      files: nodeFiles('/'),
      clock,
      logger: { warn: () => undefined, debug: () => undefined },
      signal: ending.signal,
    },
    face: { write: async () => ({}), writeAndForget: async () => ({}) },
    notifiers: [],
    hostName: 'here',
    isStart: true,
    abort: () => ending.abort(),
    link: undefined,
    onTurn: () => undefined,
  });
  const running = monitor.run(ending.signal);
  await fn(care, clock);
  ending.abort();
  await clock.advance(0);
  await running;
  registry.close();
}

describe('a monitor that was frozen for two minutes', () => {
  it('acts on nothing by the first look after it, and by the next one as ever', async () => {
    await withMonitor(async (fleet, clock) => {
      await clock.advance(5_000);
      const before = fleet.looks.length;
      expect(fleet.looks[before - 1]).toBe(false);
      fleet.isDead = true;
      await clock.freeze(2 * MINUTE_MS);
      expect(fleet.looks.slice(before)).toEqual([true]);
      expect(fleet.acts).toEqual([]);
      await clock.advance(100);
      expect(fleet.looks.slice(before, before + 2)).toEqual([true, false]);
      expect(fleet.acts[0]).toBe('mark-terminated a');
    });
  });
});
