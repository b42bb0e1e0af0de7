import { describe, expect, it } from 'vitest';
import { MONITOR_TERM_MS } from '../../src/domain/monitor-term.ts';
import type { Owner } from '../../src/domain/owner.ts';
import { endTerm, holdTerm } from '../../src/services/monitor/term.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RegistryBed } from '../support/registry-bed.ts';
import { withDatabase } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const here: Owner = { host: 'here', boot: 'b', pidNamespace: 'n', pid: 7, startTicks: '70' };
const there: Owner = { ...here, host: 'there', pid: 8 };

describe('the term of a monitor', () => {
  it('is held against other hosts until its deadline, renewed by its holder alone', async () => {
    using bed = new RegistryBed();
    const registry = bed.open();
    const clock = new ManualClock();
    const on = (self: Owner) => ({
      ...{ registry, clock, workspace: { root: '/ws' } as never },
      processes: { self, isAlive: () => true } as never,
    });
    const revision = registry.read((reader) => reader.revision());
    holdTerm(on(here), 'desk');
    expect(() => holdTerm(on(there), 'laptop')).toThrow(
      expect.objectContaining({
        code: 'monitor.elsewhere',
        message: expect.stringContaining('process 7 on "desk"'),
      }),
    );
    await clock.advance(MONITOR_TERM_MS - 1);
    holdTerm(on(here), 'desk');
    await clock.advance(MONITOR_TERM_MS - 1);
    expect(() => holdTerm(on(there), 'laptop')).toThrow();
    await clock.advance(1);
    holdTerm(on(there), 'laptop');
    // The first one was frozen meanwhile.
    expect(() => holdTerm(on(here), 'desk')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ host: 'laptop', pid: 8 }) }),
    );
    endTerm(on(here));
    expect(registry.read((reader) => reader.monitorTerm()?.owner)).toEqual(there);
    endTerm(on(there));
    holdTerm(on(here), 'desk');
    expect(registry.read((reader) => reader.revision())).toBe(revision);
    registry.close();
  });

  it('keeps a monitor of this host from beginning, by name, and is free when it is over', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    const put = (deadlineMs: number) => {
      const term = { owner: { ...there, pid_namespace: 'n' }, host_name: 'desk' };
      const text = JSON.stringify({ ...term, deadline_ms: deadlineMs });
      withDatabase(bed, (db) =>
        db.prepare("INSERT OR REPLACE INTO meta VALUES ('monitor_term', ?)").run(text),
      );
    };
    put(Date.now() + 600_000);
    for (const verb of ['start', 'run']) {
      const { code, stderr } = await bed.mam(['monitor', verb]);
      expect([code, stderr]).toEqual([9, expect.stringContaining('process 8 on "desk"')]);
    }
    put(Date.now() - 1);
    await bed.ok(['monitor', 'start']);
    await bed.ok(['monitor', 'stop']);
    const left = withDatabase(bed, (db) =>
      db.prepare("SELECT value FROM meta WHERE key = 'monitor_term'").all(),
    );
    expect(left).toEqual([]);
  });

  it('ends a monitor whose term another host has taken', async () => {
    await using bed = await TestBed.open();
    await bed.create('a');
    await bed.ok(['monitor', 'start']);
    const owner = { ...there, pid_namespace: 'n' };
    const term = { owner, host_name: 'desk', deadline_ms: Date.now() + 600_000 };
    withDatabase(bed, (db) =>
      db.prepare("UPDATE meta SET value = ? WHERE key = 'monitor_term'").run(JSON.stringify(term)),
    );
    await until('it has ended', async () =>
      (await bed.ok(['monitor', 'status'])).stdout.startsWith('No monitor runs here'),
    );
  });
});
