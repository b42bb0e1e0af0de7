import { describe, expect, it } from 'vitest';
import { plainScreen } from '../../domain/screen.ts';
import { readScreen } from './screen.ts';

const RULE = '─'.repeat(140);
const FOOTER =
  ' workspace (/directory)          sandbox          /model\n ~/project          no sandbox';

function composer(draft: string, above = '✦ done\n\n'): string {
  const edges = ['▄'.repeat(140), '▀'.repeat(140)];
  const label = ' Shift+Tab to accept edits';
  return [above, RULE, label, edges[0], draft, edges[1], FOOTER].join('\n');
}

const IDLE = ' >   Type your message or @path/to/file';

function read(text: string, title = '') {
  return readScreen({ ...plainScreen(text), title });
}

describe('readScreen', () => {
  it('takes the spinner only where it stands, directly above the rule', () => {
    const spinner = ' ⠸ Thinking... (esc to cancel, 1s)          ? for shortcuts';
    expect(read(composer(IDLE, `✦ hm\n\n${spinner}`)).state).toBe('working');
    expect(read(composer(IDLE, `✦ hm\n${spinner}\n✦ done\nmore\n\n`)).state).toBe('idle');
    expect(read(composer(' > say ⠸ x (esc to cancel, 1s)')).state).toBe('idle');
  });

  it('believes the title when it works, and nothing of it when it is ready', () => {
    expect(read(composer(IDLE), '✦  Working… (project)   ').state).toBe('working');
    expect(read(composer(IDLE), '⏲  Working… (project)').state).toBe('working');
    expect(read(composer(IDLE), '✋  Action Required (project)').state).toBe('unknown');
    expect(read('nothing that is known', '◇  Ready (project)').state).toBe('unknown');
  });

  it('waits while nothing stands above the composer', () => {
    expect(read(composer(IDLE, '\n        ? for shortcuts')).state).toBe('starting');
  });

  it('takes the placeholder for an empty composer only where it is drawn as one', () => {
    expect(read(composer(IDLE)).composer).toMatchObject({ empty: true, mode: 'prompt' });
    const typed = read(composer(' > Type your message or @path/to/file')).composer;
    expect(typed).toMatchObject({ empty: false, text: 'Type your message or @path/to/file' });
    expect(read(composer(' > ')).composer).toMatchObject({ empty: true });
    expect(read(composer(' *   Type your message or @path/to/file')).composer?.mode).toBe('prompt');
  });

  it('reads no dialog above a composer, and none with text below it', () => {
    const box = [
      `╭${'─'.repeat(60)}╮`,
      '│ Allow execution of [Shell]? │',
      '│ ● 1. Allow once │',
      '│   2. No, suggest changes (esc) │',
      `╰${'─'.repeat(60)}╯`,
    ].join('\n');
    expect(read(composer(IDLE, `${box}\n`)).dialog).toBeUndefined();
    expect(read(`${box}\nmore`).state).toBe('unknown');
    expect(read(box).dialog?.rule.id).toBe('permission-shell');
  });

  it('knows no composer in the frame of a prompt of the conversation', () => {
    const prompt = ['▄'.repeat(140), ' > hello', '▀'.repeat(140)].join('\n');
    expect(read(prompt).state).toBe('unknown');
    expect(read(`${RULE}\nan answer\nof some\nrows\nand more\n${prompt}`).state).toBe('unknown');
  });
});
