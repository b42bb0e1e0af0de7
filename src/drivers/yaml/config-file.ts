import { readIfThere } from '../../base/file-io.ts';
import { MamError } from '../../domain/errors.ts';
import { defaultSettings, type Settings } from '../../domain/settings.ts';

const ONLY_COMMENTS = /^(?:[^\S\n]*(?:#[^\n]*)?(?:\n|$))*$/;

/**
 * Settings of a workspace. A file of comments only, as `mam init` writes it, is the defaults and loads
 * no YAML library.
 *
 * @throws {MamError} `config.invalid` with line and column.
 */
export async function loadSettings(path: string): Promise<Settings> {
  const text = readConfig(path);
  if (text === undefined || ONLY_COMMENTS.test(text)) return defaultSettings;
  const { parseConfig } = await import('./config-parser.ts');
  return parseConfig(text, path);
}

function readConfig(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MamError(
      'config.invalid',
      `Could not read ${path}: ${reason}.`,
      { path },
      { cause: error },
    );
  }
}
