import { textWidth } from '../../../../src/demo-agent/char-width.ts';
import { wrapText } from '../../../../src/demo-agent/wrap.ts';
import type { Bottom } from './frame.ts';
import { clip, fullRule } from './layout.ts';

/** Rows of the box and of what it opens below; the cursor stands behind the draft. */
export function renderBox(box: Extract<Bottom, { kind: 'box' }>, cols: number) {
  const draft = wrapText(box.draft, cols - 3);
  const rows = draft.map((row, i) => `${i === 0 ? box.sign : ' '} ${row}`.trimEnd());
  const { popup } = box;
  const choices = popup
    ? [
        ...popup.choices.map((choice, i) =>
          clip(`${i === popup.marked ? '>' : ' '} ${choice}`, cols),
        ),
        ...['', '  ↑/↓ Navigate · tab Complete'],
      ]
    : [];
  return {
    rows: [fullRule(cols), ...rows, fullRule(cols), ...choices],
    cursor: { x: 2 + textWidth(draft.at(-1) ?? ''), y: draft.length },
  };
}
