import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, longest first, by parts of their paths: begun last they would run alone at the
 * end. A fresh checkout knows no durations; the rest follows in vitest's own order.
 */
const SLOW = [
  'integration/launch-crash',
  'bl/bl-28',
  'torture/kill-nine',
  'agents/gemini-conversation-kept',
  'torture/sends',
  'bl/bl-18',
  'bl/bl-15',
  'bl/bl-01',
  'agents/claude.test',
  'agents/',
  'torture/',
  'integration/delivery-crash',
  'e2e/commands',
  'bl/bl-19',
  'integration/',
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = SLOW.findIndex((part) => moduleId.includes(`/test/${part}`));
      return at < 0 ? SLOW.length : at;
    };
    return rest.toSorted((a, b) => rank(a) - rank(b));
  }
}
