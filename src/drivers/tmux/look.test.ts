import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMamError } from '../../domain/errors.ts';
import { parseLook } from './look.ts';

const MARK = 'mam-1f';
const pane = paneLine({ own: '%3 $1 4242 0 0 140 40 2 17 1764561600 ', seq: '5', enter: '52' });
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
          ...{ mode: undefined, title: 'a | title: x', outputAtMs: 1_764_561_600_000 },
        },
      ],
    });
  });

  it('takes what is not set for nothing, and a mode for a mode', () => {
    const none = { ws: '', session: '', launch: '', title: 'title' };
    const bare = paneLine({ own: '%4 $1 4243 0 0 140 40 0 0 1764561600 ', ...none });
    const inMode = paneLine({ own: '%5 $1 4244 0 0 140 40 0 0 1764561600 copy-mode', ...none });
    const look = parseLook(MARK, [answer, bare, inMode, ''].join('\n'));
    const [, first, second] = look.server === 'up' ? look.panes : [];
    expect(first).toMatchObject({ pasted: 0, pressed: 0, workspaceTag: '', launchTag: '' });
    expect(first).toMatchObject({ mode: undefined, title: 'title' });
    expect(second).toMatchObject({ mode: 'copy-mode', title: 'title' });
  });

  it.each(['x\ny', '\n', '1\n', 'a b', '1 2 3', `pane %9\nsession $9`])(
    'keeps the option %j to its pane and its place',
    (odd) => {
      const own = '%4 $1 4243 0 0 140 40 0 0 1764561600 ';
      const options = ['seq', 'enter', 'ws', 'session', 'launch', 'title'] as const;
      for (const option of options) {
        const strange = paneLine({ own, [option]: odd });
        const look = parseLook(MARK, [strange, answer, ''].join('\n'));
        const panes = look.server === 'up' ? look.panes : [];
        expect(panes.map(({ paneId }) => paneId)).toEqual(['%4', '%3']);
        expect(panes[0]).toMatchObject({
          pasted: option === 'seq' ? Number.MAX_SAFE_INTEGER : 0,
          pressed: option === 'enter' ? Number.MAX_SAFE_INTEGER : 0,
          workspaceTag: option === 'ws' ? odd : 'ws',
          sessionTag: option === 'session' ? odd : 'ses',
          launchTag: option === 'launch' ? odd : 'L1',
        });
        expect(panes[1]).toMatchObject({ pasted: 5, pressed: 52, launchTag: 'L1' });
      }
    },
  );

  it('gives each pane its own screen, whatever the screen says', () => {
    const forged = ['mam-2a capture 3', `${MARK}x capture 3`, 'mam-'].join('\n');
    const look = parseLook(MARK, `${answer}\n${MARK} capture 3\n${forged}\n`);
    expect(look.server === 'up' && look.panes[0]?.captured).toBe(`${forged}\n`);
  });

  it.each([
    'unmarked',
    `${MARK} pane %3 $1`,
    paneLine({ own: '3 $1 4242 0 0 140 40 2 17 1764561600 ' }),
    paneLine({ own: '%3 $1 x 0 0 140 40 2 17 1764561600 ' }),
    paneLine({ own: '%3 $1 4242 0 0 140 40 2 17' }),
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

/** As our format makes it: what tmux says by itself, then each text that anybody may set. */
function paneLine(parts: {
  own: string;
  seq?: string;
  enter?: string;
  ws?: string;
  session?: string;
  launch?: string;
  title?: string;
}): string {
  const { own, seq = '', enter = '', ws = 'ws', session = 'ses', launch = 'L1' } = parts;
  const texts = [seq, enter, ws, session, launch, parts.title ?? 'a | title: x'];
  return [`${MARK} pane ${own}`, ...texts].join(` ${MARK} `);
}
