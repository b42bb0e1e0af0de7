/** A run of cells that share their look. `fg` is the SGR colour as written, for example `38;5;246`. */
export interface ScreenSpan {
  readonly text: string;
  readonly dim: boolean;
  readonly reverse: boolean;
  readonly fg: string;
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
}

const SGR = /\x1b\[([\d;:]*)m/y;
const OTHER_ESCAPE = /\x1b(?:\[[\d;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Za-z0-9]|.)/y;

/**
 * Parses `tmux capture-pane -e -p` output. A style lasts across line ends, as tmux prints it.
 *
 * @param captured - Rows separated by newlines.
 * @see tmux(1), capture-pane -e
 */
export function parseScreenRows(captured: string): ScreenRow[] {
  const style: Style = { dim: false, reverse: false, fg: '' };
  const lines = captured.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => parseRow(line, style));
}

/** A screen of plain text: for captures taken without `-e`, and for tests. */
export function plainScreen(text: string, cursor = { x: 0, y: 0 }): Screen {
  return { rows: parseScreenRows(text), cols: 140, cursor, title: '' };
}

function parseRow(line: string, style: Style): ScreenRow {
  const spans: ScreenSpan[] = [];
  let text = '';
  let pending = '';
  const flush = () => {
    if (pending !== '') spans.push({ text: pending, ...style });
    pending = '';
  };
  for (let i = 0; i < line.length; ) {
    if (line[i] !== '\x1b') {
      pending += line[i];
      text += line[i];
      i++;
      continue;
    }
    SGR.lastIndex = i;
    const sgr = SGR.exec(line);
    if (sgr) {
      flush();
      applySgr(style, sgr[1] ?? '');
      i = SGR.lastIndex;
      continue;
    }
    OTHER_ESCAPE.lastIndex = i;
    i = OTHER_ESCAPE.exec(line) ? OTHER_ESCAPE.lastIndex : i + 1;
  }
  flush();
  return { text, spans };
}

function applySgr(style: Style, parameters: string): void {
  const codes = parameters === '' ? ['0'] : parameters.split(/[;:]/);
  for (let i = 0; i < codes.length; i++) {
    const code = Number(codes[i]);
    if (code === 0) Object.assign(style, { dim: false, reverse: false, fg: '' });
    else if (code === 2) style.dim = true;
    else if (code === 22) style.dim = false;
    else if (code === 7) style.reverse = true;
    else if (code === 27) style.reverse = false;
    else if (code === 39) style.fg = '';
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) style.fg = String(code);
    else if (code === 38 || code === 48) {
      const length = codes[i + 1] === '5' ? 3 : 5;
      if (code === 38) style.fg = codes.slice(i, i + length).join(';');
      i += length - 1;
    }
  }
}
