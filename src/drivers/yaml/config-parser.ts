import { MamError } from '../../domain/errors.ts';
import type { Settings } from '../../domain/settings.ts';
import { configSchema, settingDocs, toSettings } from '../../protocol/config-schema.ts';
import { readCheckedYaml } from './checked-yaml.ts';

/** @throws {MamError} `config.invalid` with line and column, from 1. */
export function parseConfig(text: string, path: string): Settings {
  const result = readCheckedYaml(text, configSchema);
  if ('value' in result) return toSettings(result.value);
  const { line, column, key, message, isUnknownKey } = result.fault;
  const known = `Known keys: ${settingDocs.map((each) => each.key).join(', ')}.`;
  const what = isUnknownKey ? `unknown key "${key}". ${known}` : named(key, message);
  throw new MamError('config.invalid', `${path}:${line}:${column}: ${what}`, {
    path,
    line,
    column,
  });
}

function named(key: string, message: string): string {
  return key === '' && !/^Invalid input/.test(message)
    ? message
    : `${key || 'the file'}: ${message}`;
}
