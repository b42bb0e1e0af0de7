/** A run of cells that share their look. Colours are SGR as written, for example `38;5;246`; '' is the default. */
export interface ScreenSpan {
  readonly text: string;
  readonly dim: boolean;
  readonly reverse: boolean;
  readonly fg: string;
  readonly bg: string;
}

/** One row of the visible grid, trailing blanks kept as the terminal gave them. */
export interface ScreenRow {
  readonly text: string;
  readonly spans: readonly ScreenSpan[];
}

/**
 * What one look at a pane saw. `rows` is the visible grid, top first. `cursor` counts from 0.
 * `mode` is the tmux mode (`copy-mode`, `view-mode`, …) or `undefined`.
 */
export interface Screen {
  readonly rows: readonly ScreenRow[];
  readonly cols: number;
  readonly cursor: { readonly x: number; readonly y: number };
  readonly mode?: string;
  readonly title: string;
}

interface Style {
  dim: boolean;
  reverse: boolean;
  fg: string;
  bg: string;
}

const PLAIN: Readonly<Style> = { dim: false, reverse: false, fg: '', bg: '' };

/** One escape sequence; its first group holds the parameters of an SGR, the one kind that matters. */
const ESCAPE =
  /\x1b(?:\[([\d;:]*)m|\[[\d;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Za-z0-9]|.|$)/g;

/**
 * Parses `tmux capture-pane -e -p` output. A style lasts across line ends, as tmux prints it.
 *
 * @param captured - Rows separated by newlines.
 * @see tmux(1), capture-pane -e
 */
export function parseScreenRows(captured: string): ScreenRow[] {
  const style: Style = { ...PLAIN };
  const lines = captured.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => parseRow(line, style));
}

/** A screen of plain text: for captures taken without `-e`, and for tests. */
export function plainScreen(text: string, cursor = { x: 0, y: 0 }): Screen {
  return { rows: parseScreenRows(text), cols: 140, cursor, title: '' };
}

function parseRow(line: string, style: Style): ScreenRow {
  if (!line.includes('\x1b')) {
    return { text: line, spans: line === '' ? [] : [{ text: line, ...style }] };
  }
  const spans: ScreenSpan[] = [];
  let text = '';
  let from = 0;
  const take = (until: number) => {
    if (until === from) return;
    const part = line.slice(from, until);
    text += part;
    spans.push({ text: part, ...style });
  };
  for (const found of line.matchAll(ESCAPE)) {
    take(found.index);
    from = found.index + found[0].length;
    if (found[1] !== undefined) applySgr(style, found[1]);
  }
  take(line.length);
  return { text, spans };
}

function applySgr(style: Style, parameters: string): void {
  const codes = parameters === '' ? ['0'] : parameters.split(/[;:]/);
  for (let i = 0; i < codes.length; i++) {
    const code = Number(codes[i]);
    if (code === 0) Object.assign(style, PLAIN);
    else if (code === 2) style.dim = true;
    else if (code === 22) style.dim = false;
    else if (code === 7) style.reverse = true;
    else if (code === 27) style.reverse = false;
    else if (code === 39) style.fg = '';
    else if (code === 49) style.bg = '';
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) style.fg = String(code);
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) style.bg = String(code);
    else if (code === 38 || code === 48) {
      const length = codes[i + 1] === '5' ? 3 : 5;
      style[code === 38 ? 'fg' : 'bg'] = codes.slice(i, i + length).join(';');
      i += length - 1;
    }
  }
}
