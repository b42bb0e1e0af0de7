export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The string under `key`; `undefined` when it is absent or something else. */
export function stringAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' ? value : undefined;
}

/** Records of a JSON-lines text in order; lines that are no record (a torn last one) are left out. */
export function parseJsonLines(text: string): JsonRecord[] {
  return text.split('\n').flatMap((line) => {
    const value = parseJson(line);
    return isRecord(value) ? [value] : [];
  });
}

/** `undefined` for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Empty where there is no such record. */
export function recordAt(record: JsonRecord, key: string): JsonRecord {
  const value = record[key];
  return isRecord(value) ? value : {};
}
