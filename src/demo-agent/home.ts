import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the demo agent keeps everything: `DEMO_HOME`, else `.mam-demo` in the user's home. */
export function demoHome(env: NodeJS.ProcessEnv): string {
  return env.DEMO_HOME || join(env.HOME || homedir(), '.mam-demo');
}

/** Appends one JSON line. The file is readable by its owner only; folders are made as needed. */
export function appendJsonLine(file: string, value: unknown): void {
  makeFolderOf(file);
  appendFileSync(file, `${JSON.stringify(value)}\n`, { mode: 0o600 });
}

/** Replaces a JSON file as a whole: a reader sees the old or the new one. */
export function writeJson(file: string, value: unknown): void {
  makeFolderOf(file);
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(value)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

/** The text of a file, `undefined` when it cannot be read. */
export function findText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** `undefined` for what is no JSON object. */
export function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function makeFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}
