import { describe, expect, it } from 'vitest';
import { card } from './card.ts';

function rule(id: string) {
  const found = card.dialogs.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no rule ${id}`);
  return found;
}

describe('card', () => {
  it('lets nobody but a person answer what Claude asks about its work, its bill or its login', () => {
    const policies = Object.fromEntries(card.dialogs.map(({ id, policy }) => [id, policy]));
    expect(policies).toEqual({
      trust: 'trust',
      'bypass-warning': 'skip',
      'custom-api-key': 'never',
      permission: 'never',
      plan: 'never',
      question: 'never',
      limit: 'never',
      login: 'never',
      menu: 'never',
    });
  });

  it.each([
    ['trust', 'Yes, I trust this folder', 'No, exit'],
    ['bypass-warning', 'Yes, I accept', 'No, exit'],
    ['custom-api-key', 'Yes', 'No (recommended)'],
    ['permission', 'Yes', 'No, and tell Claude what to do differently (esc)'],
    ['plan', 'Yes, manually approve edits', 'No, keep planning'],
  ])('knows yes and no of %s', (id, yes, no) => {
    expect([rule(id).yes?.test(yes), rule(id).yes?.test(no)]).toEqual([true, false]);
    expect([rule(id).no?.test(no), rule(id).no?.test(yes)]).toEqual([true, false]);
  });

  it('takes no wider permission for a yes', () => {
    const { yes } = rule('permission');
    expect(yes?.test("Yes, and don't ask again for touch")).toBe(false);
    expect(rule('plan').yes?.test('Yes, and use auto mode')).toBe(false);
  });
});
