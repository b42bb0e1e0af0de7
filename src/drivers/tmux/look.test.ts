import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMamError } from '../../domain/errors.ts';
import { parseLook } from './look.ts';

const MARK = 'mam-1f';
const pane = `${MARK} pane %3 $1 4242 0 0 140 40 2 17 5 52 ws ses L1  a | title: x`;
const answer = [`${MARK} session $1 99 demo-creator-ä b`, pane].join('\n');

describe('parseLook', () => {
  it('reads words first and free text last', () => {
    expect(parseLook(MARK, `${answer}\n`)).toEqual({
      server: 'up',
      pid: 99,
      panes: [
        {
          ...{ paneId: '%3', sessionId: '$1', sessionName: 'demo-creator-ä b', panePid: 4242 },
          ...{ paneIndex: 0, dead: false, cols: 140, rows: 40, cursor: { x: 2, y: 17 } },
          ...{ pasted: 5, pressed: 52, workspaceTag: 'ws', sessionTag: 'ses', launchTag: 'L1' },
          ...{ mode: undefined, title: 'a | title: x' },
        },
      ],
    });
  });

  it('takes what is not set for nothing, and a mode for a mode', () => {
    const bare = `${MARK} pane %4 $1 4243 0 0 140 40 0 0       title`;
    const inMode = `${MARK} pane %5 $1 4244 0 0 140 40 0 0      copy-mode title`;
    const look = parseLook(MARK, [answer, bare, inMode, ''].join('\n'));
    const [, first, second] = look.server === 'up' ? look.panes : [];
    expect(first).toMatchObject({ pasted: 0, pressed: 0, workspaceTag: '', launchTag: '' });
    expect(first).toMatchObject({ mode: undefined, title: 'title' });
    expect(second).toMatchObject({ mode: 'copy-mode', title: 'title' });
  });

  it('gives each pane its own screen, whatever the screen says', () => {
    const forged = ['mam-2a capture 3', `${MARK}x capture 3`, 'mam-'].join('\n');
    const look = parseLook(MARK, `${answer}\n${MARK} capture 3\n${forged}\n`);
    expect(look.server === 'up' && look.panes[0]?.captured).toBe(`${forged}\n`);
  });

  it.each([
    'unmarked',
    `${MARK} pane %3 $1`,
    `${MARK} pane 3 $1 4242 0 0 140 40 2 17 5 52 ws ses L1  t`,
    `${MARK} pane %3 $1 x 0 0 140 40 2 17 5 52 ws ses L1  t`,
    `${MARK} other`,
  ])('takes %j for an error, never for "no sessions"', (line) => {
    expect(() => parseLook(MARK, `${line}\n`)).toThrow(
      expect.objectContaining({ code: 'tmux.failed' }),
    );
  });

  it('either answers or says what it could not read, for any text', () => {
    const words = fc.constantFrom(
      MARK,
      'pane',
      'session',
      'capture',
      '%3',
      '$1',
      '7',
      '-',
      'x',
      '',
    );
    const lines = fc
      .array(fc.array(words).map((parts) => parts.join(' ')))
      .map((all) => all.join('\n'));
    fc.assert(
      fc.property(lines, (text) => {
        try {
          return parseLook(MARK, text).server === 'up';
        } catch (error) {
          return isMamError(error, 'tmux.failed');
        }
      }),
    );
  });
});
