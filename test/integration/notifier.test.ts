import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/domain/settings.ts';
import { notifiers } from '../../src/drivers/node/notifier.ts';
import { nodeProgramRunner } from '../../src/drivers/node/program-runner.ts';
import { FastClock } from '../support/fast-clock.ts';

const notice = {
  ...({ v: 1, event: 'limited', workspace: '/ws', session: 'api', agent: 'demo' } as const),
  ...{ role: 'creator', message: 'api is at its usage limit.', at: '2026-11-30T12:00:00.000Z' },
};

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mam-n-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function tell(notify: { command?: readonly string[]; webhook?: string }): Promise<void> {
  const [way] = notifiers({
    notify: { ...defaultSettings.notify, ...notify },
    programs: nodeProgramRunner,
    clock: new FastClock(),
    env: { PATH: process.env.PATH ?? '', HOME: folder, ANTHROPIC_API_KEY: 'sk-secret' },
    cwd: folder,
  });
  await way?.tell(notice, new AbortController().signal);
}

function script(text: string): string {
  const path = join(folder, 'told');
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function listening(
  answer: (request: IncomingMessage, body: string) => number,
): Promise<{ server: Server; url: string }> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const status = answer(request, body);
    response.writeHead(status, status === 302 ? { location: '/other' } : {}).end('said');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/hook?token=secret` };
}

describe('a command that is told', () => {
  it('gets the notice in its environment, as an argument list, and no secrets', async () => {
    const path = script('env > env.txt; printf "%s|" "$@" > args.txt');
    await tell({ command: [path, 'two words', '$HOME'] });
    const env = readFileSync(join(folder, 'env.txt'), 'utf8');
    expect(env).toContain('MAM_EVENT=limited\n');
    expect(env).toContain('MAM_SESSION=api\n');
    expect(env).toContain('MAM_MESSAGE=api is at its usage limit.\n');
    expect(JSON.parse(/^MAM_NOTICE=(.*)$/m.exec(env)?.[1] ?? '')).toEqual(notice);
    expect(env).not.toContain('sk-secret');
    expect(readFileSync(join(folder, 'args.txt'), 'utf8')).toBe('two words|$HOME|');
  });

  it('that fails is an error with what it said', async () => {
    const path = script('echo no display >&2; exit 3');
    await expect(tell({ command: [path] })).rejects.toMatchObject({
      code: 'notify.failed',
      message: expect.stringContaining('ended with 3: no display'),
    });
  });
});

describe('a webhook', () => {
  it('gets the notice as JSON that chats understand, also at the second try', async () => {
    const bodies: string[] = [];
    const { server, url } = await listening((_, body) => (bodies.push(body) === 1 ? 503 : 204));
    await tell({ webhook: url });
    server.close();
    const { message } = notice;
    expect(JSON.parse(bodies[1] ?? '')).toEqual({
      ...notice,
      ...{ content: message, text: message, allowed_mentions: { parse: [] } },
    });
    expect(bodies).toHaveLength(2);
  });

  it.each([[404], [302]])(
    'that answers %s is an error, without its secret, and is not followed',
    async (status) => {
      const seen: (string | undefined)[] = [];
      const { server, url } = await listening(({ url: path }) => {
        seen.push(path);
        return path === '/other' ? 204 : status;
      });
      const error = await tell({ webhook: url }).catch((reason: unknown) => reason);
      server.close();
      expect(error).toMatchObject({ code: 'notify.failed' });
      expect(String(error)).toContain('webhook at 127.0.0.1:');
      expect(String(error)).not.toContain('secret');
      expect(seen).toEqual(['/hook?token=secret']);
    },
  );
});
