/**
 * Hooks of an agent that only the user's own settings can name. Data and pure functions: who installs them
 * asks first, and undoes exactly what was done.
 */
export interface HookInstallation {
  /** Absolute path of the user's file, for an agent with this environment. */
  file(env: Readonly<Record<string, string>>): string;
  /** What belongs into it. @param command - What runs for an event, as a line for `sh`. */
  entries(command: (event: string, answer?: string) => string): readonly SettingsEntry[];
}

/** One value in a JSON file of settings. */
export interface SettingsEntry {
  /** Keys from the root. */
  readonly path: readonly string[];
  /** `append`: an element of the list there; `set`: the value there. */
  readonly how: 'append' | 'set';
  readonly value: unknown;
}

/** Changes JSON text, comments and layout kept. */
export interface SettingsEditor {
  /**
   * @param text - Undefined or blank: a new file.
   * @throws {MamError} `file.unreadable` for what is no JSON object, or has another kind of value in the way.
   */
  add(text: string | undefined, entries: readonly SettingsEntry[]): string;
  /**
   * Takes out every element and value that holds `mark` in one of its strings, and the lists and objects
   * that are empty without it.
   */
  remove(text: string, mark: string): string;
  /** Whether something in it holds `mark`. @throws {MamError} `file.unreadable` */
  has(text: string, mark: string): boolean;
}
