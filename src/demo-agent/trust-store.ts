import { join } from 'node:path';
import { findText, parseObject, writeJson } from './home.ts';

/** True when the trust question was answered with yes in this folder before. */
export function isTrusted(home: string, cwd: string): boolean {
  return parseObject(findText(trustFile(home)))?.[cwd] === true;
}

export function rememberTrust(home: string, cwd: string): void {
  const known = parseObject(findText(trustFile(home))) ?? {};
  writeJson(trustFile(home), { ...known, [cwd]: true });
}

function trustFile(home: string): string {
  return join(home, 'trusted.json');
}
