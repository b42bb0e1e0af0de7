import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from './server.ts';

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const TOOLS = [{ name: 'Bash' }, { name: 'Write' }];

interface Message {
  readonly role: string;
  readonly content: unknown;
}

async function post(messages: readonly Message[], own: object = {}): Promise<Response> {
  return fetch(`${server.url}/v1/messages?beta=true`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', tools: TOOLS, messages, ...own }),
  });
}

async function answerTo(prompt: string, own: object = {}): Promise<unknown> {
  const response = await post([{ role: 'user', content: prompt }], own);
  return ((await response.json()) as { content: unknown[] }).content[0];
}

function toolResult(text: string): Message {
  return { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: text }] };
}

describe('startModelServer', () => {
  it('listens on loopback only', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const others = Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal),
    );
    for (const { address } of others)
      await expect(fetch(server.url.replace('127.0.0.1', address))).rejects.toThrow();
  });

  it('echoes a prompt without directives', async () => {
    expect(await answerTo('hello')).toEqual({ type: 'text', text: 'echo: hello' });
  });

  it('says, runs and writes what the prompt says', async () => {
    expect(await answerTo('[[say hi]]')).toMatchObject({ text: 'hi' });
    expect(await answerTo('[[bash ls -l]]')).toMatchObject({
      name: 'Bash',
      input: { command: 'ls -l' },
    });
    expect(await answerTo('[[write /a b c]]')).toMatchObject({
      name: 'Write',
      input: { file_path: '/a', content: 'b c' },
    });
    expect(await answerTo('[[tool Ask {"a":[1]}]]')).toMatchObject({
      name: 'Ask',
      input: { a: [1] },
    });
  });

  it('takes one step per turn of the same prompt', async () => {
    const prompt = { role: 'user', content: '[[bash ls]] [[say done]]' };
    const second = await post([prompt, { role: 'assistant', content: '' }, toolResult('x')]);
    expect(await second.json()).toMatchObject({ content: [{ text: 'done' }] });
  });

  it('streams an answer in pieces', async () => {
    const response = await post([{ role: 'user', content: '[[slow 1]][[say 0123456789]]' }], {
      stream: true,
    });
    const events = (await response.text()).split('\n\n').filter((event) => event !== '');
    expect(events[0]).toMatch(/^event: message_start\ndata: /);
    expect(events.filter((event) => event.includes('text_delta'))).toHaveLength(2);
    expect(events.at(-1)).toContain('message_stop');
  });

  it('fails with the status asked for', async () => {
    const response = await post([{ role: 'user', content: '[[error 529]]' }]);
    expect(response.status).toBe(529);
    expect(await response.json()).toMatchObject({ error: { type: 'overloaded_error' } });
  });

  it('tells when a limit lifts', async () => {
    const response = await post([{ role: 'user', content: '[[limit 7d]]' }]);
    const reset = Number(response.headers.get('anthropic-ratelimit-unified-reset'));
    expect(response.status).toBe(429);
    expect(reset).toBeGreaterThan(Date.now() / 1000 + 2 * 86_400);
  });

  it('never answers when told to hang, and lets go with the client', async () => {
    const controller = new AbortController();
    const asked = fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: '[[hang]]' }], tools: TOOLS }),
      signal: controller.signal,
    });
    let answered = false;
    const settled = asked.then(
      () => {
        answered = true;
      },
      () => undefined,
    );
    while (server.requests().length === 0) await new Promise((resolve) => setImmediate(resolve));
    await answerTo('another');
    expect(answered).toBe(false);
    controller.abort();
    await settled;
    expect(answered).toBe(false);
  });

  it('obeys rules only without directives', async () => {
    server.setRules([{ contains: 'deploy', steps: [{ kind: 'say', text: 'deployed' }] }]);
    expect(await answerTo('deploy it')).toMatchObject({ text: 'deployed' });
    expect(await answerTo('deploy [[say no]]')).toMatchObject({ text: 'no' });
  });

  it('keeps the whole history of each request', async () => {
    await post([
      { role: 'user', content: 'first' },
      { role: 'assistant', content: [{ type: 'text', text: 'echo: first' }] },
      { role: 'system', content: 'a reminder' },
      { role: 'user', content: [{ type: 'text', text: '<system-reminder>x</system-reminder>' }] },
      { role: 'user', content: 'second' },
    ]);
    const [request] = server.requests();
    expect(request?.prompt).toBe('second');
    expect(request?.turns.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'first'],
      ['assistant', 'echo: first'],
      ['system', 'a reminder'],
      ['user', '<system-reminder>x</system-reminder>'],
      ['user', 'second'],
    ]);
  });

  it("speaks Gemini's API, its router's JSON included", async () => {
    const ask = async (method: string, own: object) => {
      const response = await fetch(`${server.url}/v1beta/models/g:${method}`, {
        method: 'POST',
        body: JSON.stringify({
          contents: [{ role: 'user', parts: [{ text: '[[bash ls]]' }] }],
          ...own,
        }),
      });
      return response.text();
    };
    const tools = [{ functionDeclarations: [{ name: 'run_shell_command' }] }];
    const streamed = await ask('streamGenerateContent?alt=sse', { tools });
    expect(streamed).toMatch(/^data: .*"functionCall".*"command":"ls".*\n\n$/);
    const schema = { type: 'OBJECT', properties: { score: { type: 'INTEGER' } } };
    const generationConfig = { responseMimeType: 'application/json', responseJsonSchema: schema };
    const routed = JSON.parse(await ask('generateContent', { generationConfig }));
    expect(routed.candidates[0].content.parts).toEqual([{ text: '{"score":1}' }]);
    expect(server.requests().map(({ side, prompt, model }) => [side, prompt, model])).toEqual([
      [false, '[[bash ls]]', 'g'],
      [true, '[[bash ls]]', 'g'],
    ]);
  });

  it("speaks OpenAI's chat completions, without what Cline puts around a prompt", async () => {
    const ask = (content: string, own: object = {}) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({
          model: 'm',
          tools: [{ type: 'function', function: { name: 'run_commands' } }],
          messages: [
            { role: 'system', content: 'You are Cline' },
            { role: 'user', content: `<user_input mode="act">${content}</user_input>` },
          ],
          ...own,
        }),
      });
    const said = (await (await ask('hello')).json()) as { choices: unknown[] };
    expect(said.choices[0]).toMatchObject({ message: { content: 'echo: hello' } });
    const called = await (await ask('[[bash ls]]', { stream: true })).text();
    expect(called).toContain('"name":"run_commands"');
    expect(called).toMatch(/\ndata: \[DONE\]\n\n$/);
    const limited = await ask('[[limit rate]]');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '1']);
    expect(server.requests().map(({ side, prompt }) => [side, prompt])).toEqual([
      [false, 'hello'],
      [false, '[[bash ls]]'],
      [false, '[[limit rate]]'],
    ]);
  });

  it('knows side requests, and keeps directives out of them', async () => {
    expect(await answerTo('title of [[hang]]', { tools: [] })).toMatchObject({ type: 'text' });
    expect(server.requests()[0]?.side).toBe(true);
  });

  it('answers what else the client asks, and reports what it does not know', async () => {
    expect((await fetch(`${server.url}/api/hello`, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
    expect(server.unknownRequests()).toEqual(['GET /nothing']);
  });

  it('may be closed twice', async () => {
    await server[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    await expect(fetch(server.url)).rejects.toThrow();
  });
});
