export interface ProgramResult {
  /** Undefined when it was ended by a signal or by the time limit. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** Runs a program to its end, as an argument list, never through a shell. */
export interface ProgramRunner {
  /** Absolute path of a program on the PATH of `env`, or undefined. */
  which(program: string, env: Readonly<Record<string, string>>): string | undefined;
  /** The whole process group is killed at the limit. */
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
