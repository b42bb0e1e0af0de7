import * as z from 'zod/mini';

/** `.mam/run/<host>/monitor.json`: who the monitor of this workspace is, and how it is. Only it writes it. */
const monitorFileSchema = z.object({
  v: z.literal(1),
  pid: z.int(),
  /** Field 22 of /proc/<pid>/stat. */
  start_ticks: z.string(),
  boot: z.string(),
  pid_namespace: z.string(),
  started_at: z.string(),
  /** Every two seconds, whatever the looks wait for. */
  written_at: z.string(),
  /** False from the start until the first look is over. */
  ready: z.boolean(),
  last_reconcile: z.nullable(z.string()),
  /** Of one core, since the start. */
  cpu_ms: z.number(),
  turns: z.number(),
  acts: z.number(),
  sessions: z.number(),
  queues: z.object({ deliveries: z.number(), policies: z.number(), notices: z.number() }),
  control_mode: z.boolean(),
  errors: z.array(z.string()),
});

export type MonitorFile = z.infer<typeof monitorFileSchema>;

/** Undefined for a file that is none: it is written anew in a moment. */
export function readMonitorFile(text: string | undefined): MonitorFile | undefined {
  try {
    const found = monitorFileSchema.safeParse(JSON.parse(text ?? ''));
    return found.success ? found.data : undefined;
  } catch {
    return undefined;
  }
}
