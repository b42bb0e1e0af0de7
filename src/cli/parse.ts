import { fstatSync, readFileSync } from 'node:fs';
import { MamError } from '../domain/errors.ts';
import { type Options, text } from './command.ts';

const MAX_SECONDS = 7 * 24 * 3600;

/** Seconds of an option as milliseconds. @throws {MamError} `usage.invalid` */
export function secondsToMs(options: Options, name: string, fallbackMs: number): number {
  const value = text(options, name);
  if (value === undefined) return fallbackMs;
  const seconds = Number(value);
  if (value.trim() === '' || !Number.isFinite(seconds) || seconds < 0 || seconds > MAX_SECONDS) {
    throw invalid(
      `--${dashed(name)} ${JSON.stringify(value)} is not a number of seconds from 0 to ${MAX_SECONDS}.`,
    );
  }
  return Math.round(seconds * 1000);
}

/** A whole number. @throws {MamError} `usage.invalid` */
export function wholeNumber(options: Options, name: string, fallback: number, max: number): number {
  const value = text(options, name);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > max) {
    throw invalid(
      `--${dashed(name)} ${JSON.stringify(value)} is not a whole number from 0 to ${max}.`,
    );
  }
  return number;
}

export function oneOf<T extends string>(
  options: Options,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const found = allowed.find((candidate) => candidate === value);
  if (found) return found;
  throw invalid(`--${dashed(name)} ${JSON.stringify(value)} must be one of ${allowed.join(', ')}.`);
}

/**
 * A prompt from an argument, a file, or `-` for standard input; at most one of them.
 *
 * @param signal - Ends the reading of a standard input that nothing comes from.
 */
export async function promptText(
  inline: string | undefined,
  file: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (inline !== undefined && inline !== '-' && file !== undefined) {
    throw invalid('Give the prompt either as text or as a file, not both.');
  }
  if (inline !== '-' && file === undefined) return inline;
  const isStandardInput = file === undefined || file === '-';
  try {
    return isStandardInput ? await readStandardInput(signal) : readFileSync(file, 'utf8');
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Could not read the prompt: ${reason}.`;
    throw new MamError('usage.invalid', message, {}, { cause: error });
  }
}

/** A file, or what cannot be read at all, answers at once; a pipe or a terminal may never. */
async function readStandardInput(signal: AbortSignal): Promise<string> {
  const stat = fstatSync(0);
  if (stat.isFile() || stat.isDirectory()) return readFileSync(0, 'utf8');
  const chunks: Buffer[] = [];
  const onAbort = () => process.stdin.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for await (const chunk of process.stdin) chunks.push(chunk);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString('utf8');
}

export function invalid(message: string): MamError {
  return new MamError('usage.invalid', message);
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
