import { clip, fullRule } from './layout.ts';

export type PanelName = 'help' | 'model' | 'config' | 'resume' | 'artifacts' | 'notes';

export interface Panel {
  readonly name: PanelName;
  /** What `notes` shows, and the artifacts that wait. */
  readonly lines: readonly string[];
  readonly footer: 'cancel' | 'blank';
}

/** Lists and overlays that a person opens; Esc closes each. Text that is typed goes nowhere. */
export function panelRows(
  { name, lines }: Panel,
  cols: number,
  version: string,
): readonly string[] {
  const rows = (() => {
    switch (name) {
      case 'help':
        return [
          'Antigravity CLI   general    commands    shortcuts   (←/→ or tab to cycle)',
          ...[`Version ${version}`, '', 'Keyboard: ↑/↓ Navigate  ←/→ Switch View  esc Close'],
        ];
      case 'model':
        return [
          ...[fullRule(cols), '>', fullRule(cols), 'Switch Model', ''],
          ...['> Gemini 3.8 Flash (High) (current)', '  Gemini 3.8 Flash (Low)', ''],
          'Keyboard: ↑/↓ Navigate  enter Select  esc Go Back',
        ];
      case 'config':
        return [
          ...['Settings', '  Search:', '          ────────────────────', ''],
          ...['> Animation Speed      medium', '  Artifact Review      asks for review', ''],
          ...['  Speed of the running light animation', ''],
          '  ↑/↓ Navigate · enter Edit · Esc Clear Search/Exit',
        ];
      case 'resume':
        return [
          'Conversations',
          '',
          '> say hi        2m ago',
          '',
          '  f2 Rename  f4 Delete  esc Close',
        ];
      case 'artifacts':
        return [
          `Action required (${lines.length} left)`,
          '',
          ...lines.map((line, i) => `${i === 0 ? '›' : ' '} □ new ${line}   open  approve reject`),
          ...['', 'Keyboard: ↑/↓ Navigate  y/n Approve/reject  enter Open  esc Close'],
        ];
      case 'notes':
        return [...lines, '', 'Keyboard: esc Close'];
    }
  })();
  return rows.map((row) => clip(row, cols));
}
