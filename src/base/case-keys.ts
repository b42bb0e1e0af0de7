/** Names of keys between our code (camelCase) and everything outside it (snake_case). */

type Snake<S extends string> = S extends `${infer H}${infer T}`
  ? T extends Uncapitalize<T>
    ? `${Lowercase<H>}${Snake<T>}`
    : `${Lowercase<H>}_${Snake<T>}`
  : S;

export type SnakeKeys<T> = T extends readonly (infer E)[]
  ? readonly SnakeKeys<E>[]
  : T extends object
    ? { readonly [K in keyof T as K extends string ? Snake<K> : never]: SnakeKeys<T[K]> }
    : T;

/** Renames all keys, at any depth. Only for records whose keys are names of ours, never data. */
export function snakeKeys<T>(value: T): SnakeKeys<T> {
  return renameKeys(value, toSnake) as SnakeKeys<T>;
}

/** The way back. The caller states the type: the value was checked when it was written. */
export function camelKeys<T>(value: unknown): T {
  return renameKeys(value, toCamel) as T;
}

const toSnake = remembering((key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const toCamel = remembering((key) =>
  key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
);

/** Keys are few and come again in every record. */
function remembering(rename: (key: string) => string): (key: string) => string {
  const known = new Map<string, string>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = rename(key);
    known.set(key, made);
    return made;
  };
}

type Json = Readonly<Record<string, unknown>>;

function renameKeys(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, rename));
  if (value === null || typeof value !== 'object') return value;
  const renamed: Record<string, unknown> = {};
  // Without lists of entries: `mam status` renames a few thousand keys.
  for (const key in value) renamed[rename(key)] = renameKeys((value as Json)[key], rename);
  return renamed;
}
