/** Keys keep their names: `session`, `launch`, `delivery`, `paneId`. Never prompt text or values. */
export interface Logger {
  debug(message: string, details?: Readonly<Record<string, unknown>>): void;
  warn(message: string, details?: Readonly<Record<string, unknown>>): void;
}
