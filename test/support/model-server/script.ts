/**
 * What the model is told to do. A test writes it into the prompt itself (a pane cannot carry anything
 * else) or gives rules; directives in the prompt win.
 *
 * | directive | effect |
 * |---|---|
 * | none | `echo: <prompt>` |
 * | `[[say TEXT]]` | answers TEXT |
 * | `[[bash COMMAND]]` | calls the client's shell tool |
 * | `[[write PATH TEXT]]` | calls the client's file-writing tool |
 * | `[[tool NAME {json}]]` | calls exactly this tool |
 * | `[[delay MS]]` | waits before the first byte ("thinking") |
 * | `[[slow MS]]` | streams in small pieces, MS apart |
 * | `[[error STATUS]]` | HTTP error |
 * | `[[hang]]` | never answers |
 * | `[[limit KIND]]` | a usage limit in the provider's form; kinds are the protocol's |
 *
 * `say`, `bash`, `write` and `tool` are steps: one per model turn of the same prompt, in order.
 */
export interface Script {
  readonly steps: readonly Step[];
  readonly delayMs: number;
  readonly chunkDelayMs: number;
  readonly errorStatus?: number;
  readonly limit?: string;
  readonly hang: boolean;
}

export type Step =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'bash'; readonly command: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'tool'; readonly name: string; readonly input: unknown };

/** Applies to prompts that contain `contains` and carry no directive; the first match wins. */
export interface Rule extends Partial<Script> {
  readonly contains: string;
}

/** Long echoes only slow tests down: what arrived is in the request log. */
const ECHO_LIMIT = 2_000;
const DIRECTIVE =
  /\[\[(say|bash|write|tool|delay|slow|error|hang|limit)\b[ ]?([\s\S]*?)\]\](?!\])/g;

/** The script for a prompt: its own directives, else the first rule that matches, else an echo. */
export function scriptFor(prompt: string, rules: readonly Rule[]): Script {
  const directives = [...prompt.matchAll(DIRECTIVE)].map((m) => ({
    name: m[1] ?? '',
    value: m[2] ?? '',
  }));
  if (directives.length > 0) return fromDirectives(directives);
  const rule = rules.find((candidate) => prompt.includes(candidate.contains));
  return { steps: [], delayMs: 0, chunkDelayMs: 0, hang: false, ...rule };
}

/** The step of this turn; `done` is how many steps of the same prompt were answered before. */
export function stepFor(script: Script, prompt: string, done: number): Step {
  const step = script.steps[done];
  if (step) return step;
  if (done > 0) return { kind: 'say', text: `done after ${done} tool result(s)` };
  return { kind: 'say', text: `echo: ${shorten(prompt)}` };
}

function fromDirectives(directives: readonly { name: string; value: string }[]): Script {
  const last = (name: string) => directives.findLast((d) => d.name === name)?.value.trim();
  const error = last('error');
  const limit = last('limit');
  return {
    steps: directives.flatMap((d) => toStep(d.name, d.value) ?? []),
    delayMs: Number(last('delay') ?? 0),
    chunkDelayMs: Number(last('slow') ?? 0),
    hang: last('hang') !== undefined,
    ...(error === undefined ? {} : { errorStatus: Number(error) || 500 }),
    ...(limit === undefined ? {} : { limit }),
  };
}

function toStep(name: string, value: string): Step | undefined {
  if (name === 'say') return { kind: 'say', text: value };
  if (name === 'bash') return { kind: 'bash', command: value };
  const [first, rest] = splitOnce(value);
  if (name === 'write') return { kind: 'write', path: first, content: rest };
  if (name === 'tool') return { kind: 'tool', name: first, input: parseInput(rest) };
  return undefined;
}

function splitOnce(value: string): [string, string] {
  const at = value.indexOf(' ');
  return at < 0 ? [value, ''] : [value.slice(0, at), value.slice(at + 1)];
}

function parseInput(json: string): unknown {
  try {
    return JSON.parse(json || '{}');
  } catch {
    return { raw: json };
  }
}

function shorten(prompt: string): string {
  return prompt.length <= ECHO_LIMIT
    ? prompt
    : `${prompt.slice(0, ECHO_LIMIT)}… (${prompt.length} characters)`;
}
