#!/usr/bin/env node
// Runs the model server by itself: `node test/support/model-server/main.mjs`. Prints its URL as one
// line of JSON and serves until it is told to end. Node 20 cannot read TypeScript, hence the bundle.
import { build } from 'esbuild';

const bundle = await build({
  entryPoints: [new URL('./server.ts', import.meta.url).pathname],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
});
const code = Buffer.from(bundle.outputFiles[0].text).toString('base64');
const { startModelServer } = await import(`data:text/javascript;base64,${code}`);

const server = await startModelServer();
process.stdout.write(`${JSON.stringify({ event: 'listening', url: server.url })}\n`);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => server[Symbol.asyncDispose]());
}
