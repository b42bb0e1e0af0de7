import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slow-first.ts';

/** Values that the bundler sets (scripts/build.mjs); tests of the source run without crash points. */
const define = { __MAM_CRASH_POINTS__: 'false' };

/**
 * All but the unit tests run side by side: real agents wait for their models and for minutes of the clock while
 * the others compute. More workers than cores, for each waits for terminals as well. Each test has a machine of its
 * own (test/support/test-bed.ts), so files share their workers' modules.
 */
const WORKERS = 3;

export default defineConfig({
  define,
  test: {
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        define,
        test: {
          name: 'unit',
          // A guard against hanging, not a measure: property tests start real shells on a busy machine.
          testTimeout: 60_000,
          // They share no state: an environment of its own for each file would cost more than its tests.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          include: ['src/**/*.test.ts', 'test/support/{model-server,stand-ins}/**/*.test.ts'],
        },
      },
      {
        define,
        test: {
          name: 'real',
          isolate: false,
          sequence: { groupOrder: 1 },
          include: ['test/{contract,integration,e2e,bl}/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          maxWorkers: WORKERS,
        },
      },
      {
        define,
        test: {
          name: 'torture',
          isolate: false,
          sequence: { groupOrder: 1 },
          include: ['test/torture/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 1_200_000,
          hookTimeout: 120_000,
          maxWorkers: WORKERS,
        },
      },
      {
        define,
        test: {
          name: 'agents',
          isolate: false,
          sequence: { groupOrder: 1 },
          include: ['test/agents/**/*.test.ts', 'test/support/real-agents/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: WORKERS,
        },
      },
    ],
  },
});
