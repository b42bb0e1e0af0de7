/**
 * SHA-256 as 64 hex digits. Node's crypto is loaded when it is first used: it is a tenth of the start-up
 * of a command that may not need it.
 */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
