import type { Finding } from '../../ports/fleet-care.ts';

export interface News {
  readonly finding: Finding;
  /** False: it was told before, and now something is done about it. */
  readonly isNew: boolean;
}

/** Drifts that only a thorough look can see. */
const SEEN_SELDOM: ReadonlySet<string> = new Set(['C', 'D', 'orphans']);

/** Which findings are told: each once, as long as it stays, and once more when something is done about it. */
export class Told {
  /** The actions that were told, by finding. */
  #told: ReadonlyMap<string, ReadonlySet<string>> = new Map();

  news(findings: readonly Finding[], isThorough: boolean): readonly News[] {
    // What only a thorough look can see is there until the next one does not see it.
    const kept = isThorough ? [] : [...this.#told].filter(([key]) => SEEN_SELDOM.has(driftOf(key)));
    const present = new Map(kept);
    const news: News[] = [];
    for (const finding of findings) {
      const key = keyOf(finding);
      const before = this.#told.get(key);
      if (!before?.has(finding.action)) news.push({ finding, isNew: before === undefined });
      present.set(key, new Set([...(before ?? []), finding.action]));
    }
    this.#told = present;
    return news;
  }
}

function keyOf({ drift, session, reason }: Finding): string {
  return JSON.stringify([drift, session, reason]);
}

function driftOf(key: string): string {
  return (JSON.parse(key) as readonly string[])[0] ?? '';
}
