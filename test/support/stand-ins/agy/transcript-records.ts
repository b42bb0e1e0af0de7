/** Records of a transcript, in the shapes that were recorded of the real program. */
export interface StepRecord {
  readonly step_index: number;
  readonly source: 'USER_EXPLICIT' | 'MODEL' | 'SYSTEM' | 'SYSTEM_SDK';
  readonly type: string;
  readonly status: 'DONE' | 'ERROR' | 'RUNNING';
  readonly created_at: string;
  readonly content?: string;
  readonly thinking?: string;
  readonly error?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** To the second, as they are written. */
export function isoSecond(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}

export function userInput(step: number, text: string, now: Date): StepRecord {
  const content = `<USER_REQUEST>\n${text}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>\nThe current local time is: ${isoSecond(now)}.\n</ADDITIONAL_METADATA>`;
  return {
    ...{ step_index: step, source: 'USER_EXPLICIT', type: 'USER_INPUT', status: 'DONE' },
    created_at: isoSecond(now),
    content,
  } as const;
}

export function planner(
  step: number,
  now: Date,
  said: { readonly content?: string; readonly toolCalls?: readonly ToolCall[] },
): StepRecord {
  return {
    ...({ step_index: step, source: 'MODEL', type: 'PLANNER_RESPONSE', status: 'DONE' } as const),
    created_at: isoSecond(now),
    ...(said.content === undefined ? {} : { content: said.content }),
    ...(said.toolCalls === undefined ? {} : { thinking: '…', tool_calls: said.toolCalls }),
  };
}

/** @param type - `GENERIC` since 1.1.18, the tool's own before. */
export function toolResult(step: number, type: string, now: Date, output: string): StepRecord {
  const at = isoSecond(now);
  return {
    ...({ step_index: step, source: 'MODEL', type, status: 'DONE', created_at: at } as const),
    content: `Created At: ${at}\nCompleted At: ${at}\n\n${output}`,
  };
}

export function toolDenied(step: number, type: string, now: Date, command: string): StepRecord {
  return {
    ...({ step_index: step, source: 'MODEL', type, status: 'ERROR' } as const),
    created_at: isoSecond(now),
    error: `permission check failed for command ${JSON.stringify(command)}: user denied permission to run command:\n${command}`,
  };
}

export function system(step: number, type: string, now: Date, content: string): StepRecord {
  return {
    ...({ step_index: step, source: 'SYSTEM', type, status: 'DONE' } as const),
    created_at: isoSecond(now),
    content,
  };
}

const LONGEST_ARGUMENT = 500;

/** In `transcript.jsonl` each argument is a JSON string of the value, and long ones are cut. */
export function shortened(record: StepRecord): StepRecord {
  if (!record.tool_calls) return record;
  const cut = (value: unknown) => JSON.stringify(value).slice(0, LONGEST_ARGUMENT);
  const calls = record.tool_calls.map(({ name, args }) => ({
    name,
    args: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, cut(value)])),
  }));
  return { ...record, tool_calls: calls };
}
