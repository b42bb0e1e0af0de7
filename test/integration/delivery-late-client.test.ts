import { describe, expect, it } from 'vitest';
import { TmuxMultiplexer } from '../../src/drivers/tmux/tmux-multiplexer.ts';
import { TestBed } from '../support/test-bed.ts';

/** Numbers that no command of this test reaches by itself. */
const FAR = 1_000;
const RACES = 30;

interface Pane {
  readonly driver: TmuxMultiplexer;
  readonly paneId: string;
  readonly launchId: string;
}

/** Ids from `%3` on are what strftime(3) would eat in some formats. */
async function openPane(bed: TestBed): Promise<Pane> {
  await bed.create('a0');
  for (let i = 0; i < 3; i++) bed.tmux('split-window', '-d', 'sleep 1000');
  await bed.create('a1');
  const { tmux, launch } = await bed.session('a1');
  const driver = new TmuxMultiplexer({
    program: 'tmux',
    socket: bed.socket,
    configFile: '/dev/null',
    env: bed.env,
    timeoutMs: 15_000,
  });
  return { driver, paneId: tmux.pane_id, launchId: launch };
}

function paste({ driver, paneId, launchId }: Pane, number: number) {
  return driver.paste({ paneId, launchId, number, text: `late ${number}`, bracketed: true });
}

describe('a paste whose client comes late', () => {
  it('is refused once its number was declared void, and stays so', async () => {
    await using bed = await TestBed.open();
    const pane = await openPane(bed);
    const { driver, paneId } = pane;
    expect(await driver.voidPaste(paneId, FAR)).toBe('voided');
    expect(await paste(pane, FAR)).toBe('refused');
    // Whoever asks again gets the same answer.
    expect(await driver.voidPaste(paneId, FAR)).toBe('voided');
    expect(await paste(pane, FAR + 1)).toBe('done');
    expect(await driver.voidPaste(paneId, FAR + 1)).toBe('pasted');
    expect(await paste(pane, FAR + 1)).toBe('refused');
    const screen = await driver.capture(paneId, { historyLines: 0 });
    expect(screen).toContain(`late ${FAR + 1}`);
    expect(screen?.match(/late/g)).toHaveLength(1);
    expect(bed.tmux('list-buffers').stdout).toBe('');
  });

  it('is refused after the recoverer has typed the text under a new number', async () => {
    await using bed = await TestBed.open();
    const pane = await openPane(bed);
    const text = ['send', 'a1', 'once', '--id', 'd1'];
    await bed.mam(text, { crashAt: 'delivery.4' });
    await bed.ok(text);
    for (let number = 0; number <= 2; number++) expect(await paste(pane, number)).toBe('refused');
    expect(bed.truth().map(({ text }) => text)).toEqual(['once']);
    await bed.ok(['send', 'a1', 'next']);
    expect(bed.truth().map(({ text }) => text)).toEqual(['once', 'next']);
  });

  it('is either typed or void, never both, when both arrive at once', async () => {
    await using bed = await TestBed.open();
    const pane = await openPane(bed);
    const { driver, paneId } = pane;
    const outcomes = new Set<string>();
    for (let i = 0; i < RACES; i++) {
      const number = FAR + i;
      const both = [paste(pane, number), driver.voidPaste(paneId, number)] as const;
      const [typed, verdict] = await Promise.all(both);
      outcomes.add(`${typed} ${verdict}`);
    }
    for (const outcome of outcomes) expect(['done pasted', 'refused voided']).toContain(outcome);
    expect(bed.tmux('list-buffers').stdout).toBe('');
  });

  it('knows a pane that is gone', async () => {
    await using bed = await TestBed.open();
    const pane = await openPane(bed);
    await bed.create('a2');
    await bed.ok(['stop', 'a1']);
    expect(await pane.driver.voidPaste(pane.paneId, FAR)).toBe('gone');
    expect(await paste(pane, FAR)).toBe('refused');
    expect(bed.tmux('list-buffers').stdout).toBe('');
  });

  it('is refused when the cursor has moved since the look', async () => {
    await using bed = await TestBed.open();
    const pane = await openPane(bed);
    const { driver, paneId, launchId } = pane;
    const request = { paneId, launchId, text: 'hi', bracketed: true };
    const moved = { x: 1, y: 1 };
    expect(await driver.paste({ ...request, number: FAR, cursor: moved })).toBe('refused');
    const look = await driver.look([]);
    const panes = look.server === 'up' ? look.panes : [];
    const cursor = panes.find((each) => each.paneId === paneId)?.cursor;
    expect(cursor).toBeDefined();
    if (cursor) expect(await driver.paste({ ...request, number: FAR + 1, cursor })).toBe('done');
  });
});
