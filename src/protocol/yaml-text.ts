/** Renders plain data as YAML 1.2 that every parser reads back as the same data. */

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_/.@+-]*$/;
/** Words that YAML 1.1 or 1.2 takes for something other than text. */
const NOT_TEXT = /^(?:true|false|yes|no|on|off|y|n|null)$/i;
/** What JSON leaves as it is and YAML does not allow, or treats as a line break. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** Text that a literal block holds exactly: printable, no final newline, at least two lines. */
const LITERAL = /^[^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]+$/;

export type YamlValue =
  | string
  | number
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue };

/** A mapping in block style, each line indented by `indent` blanks and ended by a newline. */
export function renderMapping(
  entries: Readonly<Record<string, YamlValue>>,
  indent: number,
): string {
  return Object.entries(entries)
    .map(([key, value]) => `${' '.repeat(indent)}${renderKey(key)}:${renderBlock(value, indent)}`)
    .join('');
}

/** What follows a key's colon, the newline included. */
function renderBlock(value: YamlValue, indent: number): string {
  if (typeof value === 'string' && isLiteral(value)) return renderLiteral(value, indent + 2);
  if (Array.isArray(value)) return renderList(value, indent);
  if (value !== null && typeof value === 'object' && Object.keys(value).length > 0) {
    return `\n${renderMapping(value as Record<string, YamlValue>, indent + 2)}`;
  }
  return ` ${renderFlow(value)}\n`;
}

function renderList(items: readonly YamlValue[], indent: number): string {
  const hasMappings = items.some((item) => item !== null && typeof item === 'object');
  if (!hasMappings) return ` ${renderFlow(items)}\n`;
  const lines = items.map((item) => `${' '.repeat(indent + 2)}- ${renderFlow(item)}\n`);
  return `\n${lines.join('')}`;
}

function renderFlow(value: YamlValue): string {
  if (typeof value === 'string') return renderText(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(renderFlow).join(', ')}]`;
  const pairs = Object.entries(value).map(
    ([key, item]) => `${renderKey(key)}: ${renderFlow(item)}`,
  );
  return `{${pairs.join(', ')}}`;
}

function renderKey(key: string): string {
  return renderText(key);
}

function renderText(text: string): string {
  if (PLAIN.test(text) && !NOT_TEXT.test(text)) return text;
  return JSON.stringify(text).replace(
    UNPRINTABLE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function isLiteral(text: string): boolean {
  return text.includes('\n') && !text.endsWith('\n') && LITERAL.test(text) && text.isWellFormed();
}

/** The digit tells the indentation, so that a first line may begin with blanks. */
function renderLiteral(text: string, indent: number): string {
  const pad = ' '.repeat(indent);
  const lines = text.split('\n').map((line) => (line === '' ? '\n' : `${pad}${line}\n`));
  return ` |2-\n${lines.join('')}`;
}
