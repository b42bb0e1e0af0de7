import { type Document, LineCounter, parseDocument } from 'yaml';
import { en as english } from 'zod/locales';
import * as z from 'zod/mini';

// The small build of zod says "Invalid input" for everything until it is given words.
z.config(english());

/** What is wrong with a text, and where: from 1. */
export interface YamlFault {
  readonly line: number;
  readonly column: number;
  /** Keys with dots between; empty for the text as a whole. */
  readonly key: string;
  readonly message: string;
  /** A key that the schema does not have. */
  readonly isUnknownKey: boolean;
}

export type CheckedYaml<T> = { readonly value: T } | { readonly fault: YamlFault };

/** Reads a YAML text by a schema; the first fault is told by its place. */
export function readCheckedYaml<T>(text: string, schema: z.ZodMiniType<T>): CheckedYaml<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const faultAt = (offset: number, rest: Pick<YamlFault, 'key' | 'message' | 'isUnknownKey'>) => {
    const { line, col: column } = lines.linePos(offset);
    return { fault: { line, column, ...rest } };
  };
  const [broken] = document.errors;
  if (broken) {
    return faultAt(broken.pos[0], { key: '', message: broken.message, isUnknownKey: false });
  }
  const value: unknown = document.toJS() ?? {};
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  // A key that is misspelt is also one that is missing: the first tells more.
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const keys = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].map(String);
  return faultAt(positionOf(document, keys), {
    key: keys.join('.'),
    message: issue?.message ?? 'not valid',
    isUnknownKey: unknown !== undefined,
  });
}

/** Offset of the key or member, or of the deepest part of its path that is there. */
function positionOf(document: Document.Parsed, keys: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of keys) {
    const { items } = (node ?? {}) as { items?: readonly YamlItem[] };
    const member = /^\d+$/.test(key) ? items?.[Number(key)] : undefined;
    const pair = items?.find((item) => String(item.key?.value) === key) ?? member;
    if (!pair) break;
    offset = (pair.key ?? pair).range?.[0] ?? offset;
    node = pair.key ? pair.value : pair;
  }
  return offset;
}

/** A pair of a map, or a member of a list. */
interface YamlItem {
  readonly key?: { readonly value?: unknown; readonly range?: readonly number[] };
  readonly value?: unknown;
  readonly range?: readonly number[];
}
