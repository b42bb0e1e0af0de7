import * as z from 'zod/mini';

const text = z.string().check(z.minLength(1));
const words = z.array(z.string());

/** Long patterns are nobody's; each is matched against rows of a screen, which are short. */
const LONGEST_PATTERN = 500;

const regex = z.string().check(
  z.minLength(1),
  z.maxLength(LONGEST_PATTERN),
  z.refine((source) => compiles(source), 'is no regular expression (JavaScript, flags mu)'),
);

function compiles(source: string): boolean {
  try {
    new RegExp(source, 'mu');
    return true;
  } catch {
    return false;
  }
}

const level = z.exactOptional(z.enum(['fast', 'full']));
const pick = z.strictObject({
  when: z.exactOptional(z.record(z.string(), z.string())),
  at: text,
});
const place = z
  .string()
  .check(z.regex(/^(?:\$[A-Za-z_]\w*|~)(?:\/[^*]*)?$/, 'is no place: $VARIABLE/… or ~/…'));
const below = z
  .string()
  .check(z.regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$)).+$/, 'is no path below the folder'));
const file = below.check(z.includes('{id}', 'lacks {id}'));
const milliseconds = z.int().check(z.minimum(0), z.maximum(120_000));
const mark = z.string().check(z.minLength(1), z.maxLength(1));

const dialog = z.strictObject({
  id: text,
  hint: regex,
  title: regex,
  mark,
  yes: z.exactOptional(regex),
  no: z.exactOptional(regex),
  policy: z.exactOptional(z.enum(['trust', 'skip', 'never'])),
  detail: z.exactOptional(text),
});

/** What `.mam/agents/<kind>.yaml` may hold: `AgentCard` says what each key means. */
export const agentCardSchema = z.strictObject({
  v: z.literal(1),
  name: text,
  binaries: z.array(text).check(z.minLength(1)),
  version: z.exactOptional(
    z.strictObject({
      args: words,
      oldest: z.string().check(z.regex(/^\d+\.\d+\.\d+$/, 'is no version such as 1.2.3')),
      fix: text,
      level,
    }),
  ),
  login: z.exactOptional(z.strictObject({ args: words, logged_out: regex, fix: text, level })),
  launch: z.strictObject({
    args: z.exactOptional(words),
    ask: z.exactOptional(words),
    skip: z.exactOptional(words),
    model: z.exactOptional(words),
    new: z.exactOptional(words),
    resume: words,
    env: z.exactOptional(z.record(z.string().check(z.regex(/^[A-Za-z_]\w*$/)), z.string())),
  }),
  conversation: z.strictObject({
    id: z.enum(['minted', 'store']),
    id_pattern: z.exactOptional(regex),
    folder: z.array(place).check(z.minLength(1)),
    files: z.array(file).check(z.minLength(1)),
    cwd: z.exactOptional(pick),
    prompt: pick,
    answer: z.exactOptional(pick),
    time: text,
    quoted_in: z.exactOptional(z.array(below)),
  }),
  typing: z.exactOptional(
    z.strictObject({
      enter_delay_ms: z.exactOptional(milliseconds),
      evidence_timeout_ms: z.exactOptional(milliseconds),
      inline_limit_bytes: z.exactOptional(z.int().check(z.minimum(1), z.maximum(1_048_576))),
      command: z.exactOptional(regex),
      guards: z.exactOptional(
        z.array(
          z.strictObject({
            text: regex,
            before: z.exactOptional(z.string()),
            behind: z.exactOptional(z.string()),
          }),
        ),
      ),
      fold: z.exactOptional(
        z.strictObject({ above_chars: z.int().check(z.minimum(1)), shows: text }),
      ),
      rows: z.exactOptional(z.int().check(z.minimum(1))),
    }),
  ),
  screen: z.strictObject({
    composer: z.strictObject({
      sign: mark,
      shell_sign: z.exactOptional(mark),
      below: z.array(regex),
      menu: z.exactOptional(regex),
    }),
    working: z.array(regex),
    limited: z.exactOptional(regex),
    dialogs: z.exactOptional(z.array(dialog)),
  }),
  quit: text,
  processes: z.exactOptional(
    z.strictObject({
      term: z.exactOptional(z.enum(['agent', 'child'])),
      shared_daemons: z.exactOptional(z.array(text)),
    }),
  ),
  env: z.exactOptional(
    z.strictObject({ pass: z.exactOptional(z.array(text)), own: z.exactOptional(z.array(text)) }),
  ),
});
