import { type Document, LineCounter, parseDocument } from 'yaml';
import { en as english } from 'zod/locales';
import * as z from 'zod/mini';
import { MamError } from '../../domain/errors.ts';
import type { Settings } from '../../domain/settings.ts';
import { configSchema, settingDocs, toSettings } from '../../protocol/config-schema.ts';

// The small build of zod says "Invalid input" for everything until it is given words.
z.config(english());

/** @throws {MamError} `config.invalid` with line and column, from 1. */
export function parseConfig(text: string, path: string): Settings {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const [broken] = document.errors;
  if (broken) throw invalid(path, lines.linePos(broken.pos[0]), broken.message);
  const value: unknown = document.toJS() ?? {};
  const result = configSchema.safeParse(value);
  if (result.success) return toSettings(result.data);
  const [issue] = result.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const keys = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])].map(String);
  const position = lines.linePos(positionOf(document, keys));
  const known = `Known keys: ${settingDocs.map(({ key }) => key).join(', ')}.`;
  const what =
    unknown === undefined
      ? `${keys.join('.') || 'the file'}: ${issue?.message ?? 'not valid'}`
      : `unknown key "${keys.join('.')}". ${known}`;
  throw invalid(path, position, what);
}

function invalid(path: string, at: { line: number; col: number }, what: string): MamError {
  const where = `${path}:${at.line}:${at.col}`;
  return new MamError('config.invalid', `${where}: ${what}`, {
    path,
    line: at.line,
    column: at.col,
  });
}

/** Offset of the key, or of the deepest part of its path that is there. */
function positionOf(document: Document.Parsed, keys: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const key of keys) {
    const { items } = (node ?? {}) as { items?: readonly YamlPair[] };
    const pair = items?.find((item) => String(item.key?.value) === key);
    if (!pair) break;
    offset = pair.key?.range?.[0] ?? offset;
    node = pair.value;
  }
  return offset;
}

interface YamlPair {
  readonly key?: { readonly value?: unknown; readonly range?: readonly number[] };
  readonly value?: unknown;
}
