/** Versions of the real program whose wording is known, by what a test may call them. */
const VERSIONS = { '1.0': '1.0.10', '1.1': '1.1.18', '1.2': '1.2.14', '1.3': '1.3.1' } as const;

export interface AgyVersion {
  /** As `--version` prints it. */
  readonly text: string;
  readonly minor: number;
  /** The version that a self-update of 1.3.1 leads to: its wording is nobody's. */
  readonly isFuture: boolean;
}

/** @param wanted - `1.2` or a full version; the newest known when left out. */
export function agyVersion(wanted = '1.3'): AgyVersion {
  const text = wanted in VERSIONS ? VERSIONS[wanted as keyof typeof VERSIONS] : wanted;
  const [, minor = '3', patch = '0'] = text.split('.');
  return { text, minor: Number(minor), isFuture: Number(minor) === 3 && Number(patch) > 1 };
}
