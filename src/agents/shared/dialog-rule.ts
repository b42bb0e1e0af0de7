import type { DialogRule } from '../../ports/agent-adapter.ts';

interface Words {
  readonly yes: RegExp;
  readonly no: RegExp;
}

/** A question of yes or no, by the words of its options. @param detail - Default: its id. */
export function approval(
  id: string,
  { yes, no }: Words,
  { policy = 'never', detail = id }: Partial<Pick<DialogRule, 'policy' | 'detail'>> = {},
): DialogRule {
  return { id, kind: 'approval', yes, no, policy, detail };
}

/** One of several, or words: for a person. @param detail - Default: its id. */
export function choice(id: string, detail = id): DialogRule {
  return { id, kind: 'answer', policy: 'never', detail };
}
