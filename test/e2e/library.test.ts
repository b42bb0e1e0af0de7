import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleFolder, TestBed } from '../support/test-bed.ts';

describe('openMam()', () => {
  it('does as a library what the commands do, and both see the same', async () => {
    await using bed = await TestBed.open();
    const lib = pathToFileURL(join(bundleFolder('shipped'), 'lib.mjs')).href;
    const script = join(bed.root, 'use.mjs');
    writeFileSync(
      script,
      `import { captureScreen, doctor, openMam, openStatus, planAttach } from ${JSON.stringify(lib)};
       const mam = await openMam({ workspace: process.cwd() });
       const { session } = await mam.create({ name: 'api', agent: 'demo', role: 'creator', cwd: process.cwd(),
         env: [], mcpFiles: [], extraArgs: [], wait: true, timeoutMs: 60000 });
       const sent = await mam.send('api', { text: 'from the library', until: 'answered', timeoutMs: 60000 });
       const status = await mam.status('api');
       const options = { workspace: process.cwd() };
       const { screen } = await captureScreen(options, 'api', { historyLines: 0, ansi: false });
       const attach = await planAttach(options, 'api', { readOnly: true, fit: false });
       const checks = await doctor(options, 'demo');
       const reader = await openStatus(options);
       const seen = await reader.status('api');
       reader[Symbol.dispose ?? Symbol.for('Symbol.dispose')]();
       const [stopped] = await mam.stop(['api'], { graceMs: 3000, purge: false });
       const [resumed] = await mam.resume(['api'], { fresh: false, timeoutMs: 60000 });
       let refused;
       try { await mam.send('ghost', { text: 'x', until: 'submitted', timeoutMs: 1 }); } catch (error) { refused = error.code; }
       let badId;
       try { await mam.send('api', { text: 'x', id: '../../evil', until: 'submitted', timeoutMs: 1 }); } catch (error) { badId = error.code; }
       await mam[Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]();
       console.log(JSON.stringify({ session: session.name, answer: sent.answer, activity: status.sessions[0].activity.state,
         screen: screen.includes('from the library'), attach: attach.inside, checks: checks.length > 0, seen: seen.sessions[0].session.name,
         stopped: stopped.report.session.status, resumed: resumed.report.session.conversationId === session.conversationId, refused, badId }));`,
    );
    const said = execFileSync(process.execPath, [script], {
      cwd: bed.cwd,
      env: bed.env,
      encoding: 'utf8',
    });
    expect(JSON.parse(said)).toEqual({
      session: 'api',
      answer: 'echo: from the library',
      activity: 'idle',
      screen: true,
      attach: 'none',
      checks: true,
      seen: 'api',
      stopped: 'stopped',
      resumed: true,
      refused: 'session.unknown',
      badId: 'name.invalid',
    });
    expect(
      bed
        .truth()
        .filter(({ mode }) => mode === 'prompt')
        .map(({ text }) => text),
    ).toEqual(['from the library']);
    expect((await bed.session('api')).status).toBe('running');
  });
});
