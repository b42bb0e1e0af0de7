import { findText, parseObject, writeJson } from '../../../../src/demo-agent/home.ts';

/** `settings.json`, the user's and the program's own: it is read anew, and rewritten whole, each time. */
export class Settings {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = `${folder}/settings.json`;
  }

  get(key: string): unknown {
    return this.#read()[key];
  }

  isTrusted(path: string): boolean {
    return strings(this.get('trustedWorkspaces')).includes(path);
  }

  trust(paths: readonly string[]): void {
    const known = strings(this.get('trustedWorkspaces'));
    this.#write({ trustedWorkspaces: [...new Set([...known, ...paths])] });
  }

  allows(rule: string): boolean {
    return strings(this.#permissions().allow).includes(rule);
  }

  allow(rule: string): void {
    const permissions = this.#permissions();
    const allow = [...new Set([...strings(permissions.allow), rule])];
    this.#write({ permissions: { ...permissions, allow } });
  }

  #permissions(): Readonly<Record<string, unknown>> {
    return asObject(this.get('permissions'));
  }

  #read(): Record<string, unknown> {
    return parseObject(findText(this.#file)) ?? {};
  }

  #write(change: Readonly<Record<string, unknown>>): void {
    writeJson(this.#file, { ...this.#read(), ...change });
  }
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
