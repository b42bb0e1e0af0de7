import { MamError } from '../../domain/errors.ts';
import type { AgentAdapter } from '../../ports/agent-adapter.ts';
import type { Files } from '../../ports/files.ts';

/**
 * Files that describe MCP servers are for the agent: it is only made sure that it can read them. Nothing
 * of their content is told, which may hold keys.
 *
 * @param paths - Absolute.
 * @throws {MamError} `usage.invalid`, `file.unreadable`
 */
export function assertMcpFiles(
  files: Files,
  { kind, card }: AgentAdapter,
  paths: readonly string[],
): void {
  if (paths.length > 0 && !card.takesMcpFiles) {
    throw new MamError(
      'usage.invalid',
      `Agent "${kind}" takes no MCP servers for one start: --mcp cannot be used with it.`,
      { agent: kind },
      { hint: `Put them into the settings of ${kind} itself` },
    );
  }
  for (const path of paths) {
    const text = files.readText(path);
    if (text === undefined) throw unfit(path, 'there is no such file');
    const content = parse(text);
    if (content === undefined) throw unfit(path, 'it is not JSON');
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
    if (!isObject) throw unfit(path, 'it is not a JSON object');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unfit(path: string, why: string): MamError {
  const message = `MCP servers cannot be attached from ${path}: ${why}.`;
  const hint = 'A file for --mcp holds {"mcpServers": {"NAME": {…}}}.';
  return new MamError('usage.invalid', message, { path }, { hint });
}
