/**
 * A place where a test stops the process. In the shipped bundle the condition is the constant `false`
 * and the call disappears (scripts/build.mjs); `dist-crash/` keeps it.
 */
declare const __MAM_CRASH_POINTS__: boolean;

const POINTS_ON = typeof __MAM_CRASH_POINTS__ !== 'undefined' && __MAM_CRASH_POINTS__;

/** Ends the process as `kill -9` would when `MAM_TEST_CRASH_AT` names this point. */
export function crashPoint(name: string): void {
  if (POINTS_ON && process.env.MAM_TEST_CRASH_AT === name) {
    process.kill(process.pid, 'SIGKILL');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}
