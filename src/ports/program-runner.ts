export interface ProgramResult {
  /** Undefined when it was ended by a signal or by the time limit. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** It still ran at the limit. */
  readonly timedOut: boolean;
}

/** Runs a program to its end, as an argument list, never through a shell. */
export interface ProgramRunner {
  /** Absolute path of a program on the PATH of `env`, or undefined. */
  which(program: string, env: Readonly<Record<string, string>>): string | undefined;
  /**
   * Settles at the limit at the latest, whatever holds the program's output. What is in its process group
   * is killed when it ends, at the limit, and when this process is gone, however it went.
   *
   * @throws `signal.reason` at once when aborted; the group is killed.
   */
  run(
    argv: readonly string[],
    options: {
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
      readonly timeoutMs: number;
      readonly signal?: AbortSignal;
    },
  ): Promise<ProgramResult>;
}
