import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withDatabase } from '../support/registry-sql.ts';
import { TestBed } from '../support/test-bed.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
/** Far less than the clock was set back. */
const SOON_MS = 30_000;

it.each([
  ['delivery.6', 'typed'],
  ['delivery.7', 'seen'],
  ['delivery.9', 'entered'],
])('goes on after the clock was set back by an hour since %s (%s)', async (crashAt, step) => {
  await using bed = await TestBed.open();
  await bed.create('a1');
  const send = ['send', 'a1', 'once', '--id', 'd1', '--json'];
  expect((await bed.mam(send, { crashAt })).signal).toBe('SIGKILL');
  const spool = join(bed.cwd, '.mam/run', (await bed.session('a1')).launch, 'spool');
  const submissions = () => readdirSync(spool).filter((name) => /^\d.*Submit$/.test(name));
  if (step === 'entered') await until('the hook came', () => submissions().length > 0);
  putIntoTheFuture(bed, spool);
  const { json } = await bed.ok(send, { timeoutMs: SOON_MS });
  expect(json.delivery).toMatchObject({ state: 'submitted', evidence: { source: 'hook' } });
  expect(bed.truth().map(({ text }) => text)).toEqual(['once']);
});

/** For who looks afterwards the same as a clock that is set back: all that was happens in an hour. */
function putIntoTheFuture(bed: TestBed, spool: string): void {
  const later = Date.now() + HOUR_MS;
  withDatabase(bed, (db) => {
    const sql = `UPDATE deliveries SET data = json_set(data, '$.typed_at_ms', ?) WHERE id = 'd1'`;
    db.prepare(sql).run(later);
  });
  for (const name of readdirSync(spool)) {
    utimesSync(join(spool, name), later / 1_000, later / 1_000);
  }
}
