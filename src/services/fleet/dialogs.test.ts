import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialog } from '../../../test/support/example-observation.ts';
import type { Dialog } from '../../ports/agent-adapter.ts';
import { chooseOption, isSameQuestion } from './dialogs.ts';

const permission = dialog('permission');

/** A question of the agent's own, for which no rule says what yes means. */
function question(...labels: readonly string[]): Dialog {
  const rule = { id: 'question', kind: 'answer', policy: 'never', detail: 'question' } as const;
  return { rule, title: 'Which?', options: labels.map((label) => ({ label, marked: false })) };
}

const chosen = (open: Dialog, choice: string) => chooseOption(open, choice)?.label;

describe('isSameQuestion', () => {
  it('looks at what is asked, at the options, and at what it is about', () => {
    const marked = permission.options.map((option) => ({ ...option, marked: !option.marked }));
    expect(isSameQuestion(permission, { ...permission, options: marked })).toBe(true);
    expect(isSameQuestion(permission, { ...permission, title: 'Sure?' })).toBe(false);
    expect(isSameQuestion(permission, { ...permission, options: [] })).toBe(false);
    const about = (occurrence: string) => ({ ...permission, occurrence });
    expect(isSameQuestion(about('ls'), about('ls'))).toBe(true);
    expect(isSameQuestion(about('ls'), about('rm x'))).toBe(false);
  });
});

describe('chooseOption', () => {
  it("takes yes and no by the rule's words, in any order and case", () => {
    expect(chosen(permission, 'yes')).toBe('Yes');
    expect(chosen(permission, ' NO ')).toBe('No');
    const reversed = { ...permission, options: permission.options.toReversed() };
    expect(chosen(reversed, 'yes')).toBe('Yes');
    expect(chosen(reversed, 'no')).toBe('No');
  });

  it('takes the "always" option only by its own text', () => {
    const always = 'Yes, and always allow rm';
    expect(chosen(permission, always)).toBe(always);
    expect(chosen(permission, 'yes, and always')).toBe(always);
    const onlyAlways = { ...permission, options: permission.options.slice(1) };
    expect(chosen(onlyAlways, 'yes')).toBeUndefined();
    expect(chosen(question(always, 'No, thanks'), 'yes')).toBeUndefined();
    expect(chosen(question(always, 'No, thanks'), 'no')).toBeUndefined();
  });

  it('takes a literal Yes where no rule says what it means', () => {
    expect(chosen(question('Yes', 'No'), 'yes')).toBe('Yes');
  });

  it('takes an option by its text, or by a beginning that only one has', () => {
    const open = question('apple pie', 'apple juice', 'bread', 'bread and butter');
    expect(chosen(open, 'APPLE PIE')).toBe('apple pie');
    expect(chosen(open, 'apple j')).toBe('apple juice');
    expect(chosen(open, 'apple')).toBeUndefined();
    expect(chosen(open, 'bread')).toBe('bread');
  });

  it('takes nothing by position, and nothing for nothing', () => {
    for (const choice of ['1', '2', '', ' ', 'first', 'enter']) {
      expect(chosen(permission, choice)).toBeUndefined();
      expect(chosen(question('only one'), choice)).toBeUndefined();
    }
    expect(chosen(question(), 'yes')).toBeUndefined();
  });

  it('takes nothing for an empty choice, not even an option without text', () => {
    expect(chosen(question(' ', 'a'), '')).toBeUndefined();
  });

  it('only ever takes an option whose text begins with what was asked for', () => {
    const label = fc.string({ minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(label, { maxLength: 6 }), label, (labels, choice) => {
        const found = chosen(question(...labels), choice);
        if (found === undefined) return;
        const wanted = choice.trim().toLowerCase();
        expect(wanted).not.toBe('');
        expect(found.trim().toLowerCase().startsWith(wanted)).toBe(true);
      }),
    );
  });

  it('finds every option by its whole text, the first of equal ones', () => {
    const label = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 6 }), (labels) => {
        for (const text of labels) {
          const first = labels.find((each) => fold(each) === fold(text));
          expect(chosen(question(...labels), text)).toBe(first);
        }
      }),
    );
  });
});

const fold = (text: string) => text.trim().toLowerCase();
