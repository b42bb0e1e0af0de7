import * as jsonc from 'jsonc-parser';
import { MamError } from '../../domain/errors.ts';
import type { SettingsEditor, SettingsEntry } from '../../ports/hook-installation.ts';

/**
 * Settings files as agents read them: JSON with comments and trailing commas. What is not ours keeps every
 * byte; the library's own edits lay out whole lines anew, and damage a compact list.
 */
export const jsonSettingsEditor: SettingsEditor = {
  add(text, entries) {
    const base = text === undefined || text.trim() === '' ? '{}\n' : text;
    return entries.reduce(addOne, base);
  },

  remove(text, mark) {
    for (let left = text; ; ) {
      const node = findMarked(parse(left), mark);
      if (node === undefined) return left;
      left = cut(left, withEmptyParents(holderOf(node)));
    }
  },

  has: (text, mark) => findMarked(parse(text), mark) !== undefined,
};

/** @returns The root object. */
function parse(text: string): jsonc.Node {
  const errors: jsonc.ParseError[] = [];
  const root = jsonc.parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw damaged(text, error.offset, jsonc.printParseErrorCode(error.error));
  if (root?.type !== 'object') throw damaged(text, root?.offset ?? 0, 'NotAnObject');
  return root;
}

/** Objects and lists that are missing on the way come into being with it. */
function addOne(text: string, { path, how, value }: SettingsEntry): string {
  const root = parse(text);
  const present = jsonc.findNodeAtLocation(root, [...path]);
  if (present && how === 'set') {
    const indent = leadOf(text, present.parent ?? present);
    return splice(text, present.offset, present.length, pretty(value, indent ?? ''));
  }
  if (present) {
    assertKind(text, present, 'array', path);
    return insertLast(text, present, (render) => render(value));
  }
  const parent = deepest(root, path);
  assertKind(text, parent.node, 'object', path.slice(0, parent.depth));
  const [key, ...rest] = path.slice(parent.depth);
  const last: unknown = how === 'append' ? [value] : value;
  const whole = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), last);
  return insertLast(text, parent.node, (render) => `${JSON.stringify(key)}: ${render(whole)}`);
}

/** The value furthest along the path that is there. */
function deepest(
  root: jsonc.Node,
  path: readonly string[],
): { readonly node: jsonc.Node; readonly depth: number } {
  for (let depth = path.length - 1; depth > 0; depth--) {
    const node = jsonc.findNodeAtLocation(root, path.slice(0, depth));
    if (node) return { node, depth };
  }
  return { node: root, depth: 0 };
}

/** Behind the last child: on a line of its own where that one has one, else on the same. */
function insertLast(
  text: string,
  container: jsonc.Node,
  piece: (render: (value: unknown) => string) => string,
): string {
  const last = container.children?.at(-1);
  if (last === undefined) {
    const outer = /^\s*/.exec(lineOf(text, container.offset))?.[0] ?? '';
    const own = `${outer}  `;
    const line = `\n${own}${piece((value) => pretty(value, own))}\n${outer}`;
    return splice(text, container.offset + 1, 0, line);
  }
  const lead = leadOf(text, last);
  const at = last.offset + last.length;
  if (lead === undefined)
    return splice(text, at, 0, `, ${piece((value) => JSON.stringify(value))}`);
  return splice(text, at, 0, `,\n${lead}${piece((value) => pretty(value, lead))}`);
}

/** What stands before a node on its line; undefined when that is more than white space. */
function leadOf(text: string, { offset }: jsonc.Node): string | undefined {
  const lead = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return lead.trim() === '' ? lead : undefined;
}

function lineOf(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

function pretty(value: unknown, indent: string): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${indent}`);
}

function splice(text: string, offset: number, length: number, by: string): string {
  return text.slice(0, offset) + by + text.slice(offset + length);
}

function findMarked(node: jsonc.Node, mark: string): jsonc.Node | undefined {
  if (node.type === 'string') return String(node.value).includes(mark) ? node : undefined;
  for (const child of node.children ?? []) {
    const found = findMarked(child, mark);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The object that the marked string is in: a person may have put another one beside it. */
function holderOf(node: jsonc.Node): jsonc.Node {
  const { parent } = node;
  return (parent?.type === 'property' ? parent.parent : parent) ?? node;
}

/** The outermost list, object or property that holds nothing else. */
function withEmptyParents(node: jsonc.Node): jsonc.Node {
  const { parent } = node;
  // The root stays, and a property holds its key and its value.
  if (!parent?.parent) return node;
  const isOnly = parent.type === 'property' || parent.children?.length === 1;
  return isOnly ? withEmptyParents(parent) : node;
}

/** With the comma that parted it from its neighbour, or the space around an only child; comments stay. */
function cut(text: string, node: jsonc.Node): string {
  const { parent } = node;
  const siblings = parent?.children ?? [];
  if (parent && siblings.length === 1) {
    const without = splice(text, node.offset, node.length, '');
    const inner = without.slice(parent.offset + 1, parent.offset + parent.length - node.length - 1);
    const isBlank = inner.replace(',', '').trim() === '';
    return isBlank ? splice(without, parent.offset + 1, inner.length, '') : without;
  }
  const before = siblings[siblings.indexOf(node) - 1];
  const end = node.offset + node.length;
  if (before) {
    const comma = commaAfter(text, before.offset + before.length);
    return text.slice(0, comma) + text.slice(comma + 1, node.offset).trimEnd() + text.slice(end);
  }
  const comma = commaAfter(text, end);
  return splice(text, node.offset, (comma < 0 ? end : comma + 1) - node.offset, '');
}

/** Offset of the comma that follows, comments left out; -1 when none does. */
function commaAfter(text: string, offset: number): number {
  const scanner = jsonc.createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : -1;
}

function assertKind(
  text: string,
  node: jsonc.Node,
  kind: 'array' | 'object',
  path: readonly string[],
): void {
  if (node.type === kind) return;
  const word = kind === 'array' ? 'no list' : 'no object';
  throw damaged(text, node.offset, `${path.join('.')} is ${word}`);
}

function damaged(text: string, offset: number, reason: string): MamError {
  const before = text.slice(0, offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return new MamError('file.unreadable', `It is no JSON that mam can change: ${reason}, ${place}.`);
}
