import type { ProbeVerdict } from '../../ports/agent-adapter.ts';
import { isRecord, parseJson, stringAt } from './json.ts';

export interface VersionRule {
  /** The oldest that the adapter knows. */
  readonly oldest: string;
  /** What brings a newer one. */
  readonly fix: string;
}

/** @param printed - What `--version` printed: without a version in it the program is not the one meant. */
export function judgePrintedVersion(printed: string, rule: VersionRule): ProbeVerdict {
  const version = /\d+\.\d+\.\d+/.exec(printed)?.[0];
  return version === undefined ? refuse('no version', rule) : judge(version, rule);
}

/** @param text - Of the package's package.json: what cannot be read decides nothing. */
export function judgePackageVersion(text: string | undefined, rule: VersionRule): ProbeVerdict {
  const found = parseJson(text ?? '');
  const version = isRecord(found) ? stringAt(found, 'version') : undefined;
  return version === undefined ? { ok: true, found: 'version unknown' } : judge(version, rule);
}

/** Two folders above the program that npm's link leads to, `<package>/bin/cline` for example. */
export function packageFile(binary: string): string {
  return `${binary.replace(/(?:\/[^/]*){2}$/, '')}/package.json`;
}

function judge(version: string, rule: VersionRule): ProbeVerdict {
  const isOlder = version.localeCompare(rule.oldest, 'en', { numeric: true }) < 0;
  return isOlder ? refuse(version, rule) : { ok: true, found: version };
}

function refuse(found: string, { oldest, fix }: VersionRule): ProbeVerdict {
  return { ok: false, code: 'agent.version', found, needed: `${oldest} or newer`, fix };
}
