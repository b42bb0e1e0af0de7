import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { AgyBed } from '../support/stand-ins/agy-bed.ts';
import { until } from '../support/until.ts';

const THEIRS = '{"mine":{"Stop":[{"type":"command","command":"cat >stopped"}]}}\n';

it.concurrent('tells of its turns by hooks in a file of the user, which an uninstall puts back', async () => {
  // Up to 1.2 a hook that answers a tool wrongly denies it: none of ours is asked.
  await using bed = await AgyBed.prepare({ VERSION: '1.2' });
  const file = join(bed.home, '.gemini', 'config', 'hooks.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, THEIRS);
  const said = async () => (await bed.mam(['doctor', '--agent', 'agy'])).stdout;
  expect(await said()).toContain('mam hooks install agy adds them');
  await bed.ok(['hooks', 'install', 'agy', '--yes']);
  expect(await said()).toMatch(/agent-agy-hooks\W+in your settings/);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['mine', 'mam']);

  const text = 'run touch made ;; say made it';
  await bed.createAgy('api', ['--permissions', 'skip']);
  await bed.ok(['send', 'api', text, '--id', 'q1']);
  await bed.see('api', 'made it');
  await until('its hook told of the end', async () => {
    const { state, source } = (await bed.session('api')).activity;
    return state === 'idle' && source === 'hook';
  });
  expect((await bed.session('api')).hooks).toBe('heard');
  const wait = ['--wait', 'answered', '--timeout', '60', '--json'];
  const sent = await bed.ok(['send', 'api', text, '--id', 'q1', ...wait]);
  // Neither the prompt nor the answer is in a payload: its transcript has them.
  expect(sent.json.delivery).toMatchObject({
    ...{ state: 'answered', answer: 'made it', evidence: { source: 'transcript' } },
  });
  expect(existsSync(join(bed.cwd, 'made'))).toBe(true);
  expect(existsSync(join(dirname(file), 'stopped'))).toBe(true);

  await bed.ok(['send', 'api', 'bg sleep 300']);
  const background = { state: 'working', source: 'hook', detail: 'background' };
  await bed.see('api', 'started in the background');
  await until('its hook told of the end', async () => {
    return (await bed.session('api')).activity.detail === 'background';
  });
  expect((await bed.session('api')).activity).toMatchObject(background);

  // An interrupt fires nothing: the screen corrects the hook's word.
  await bed.ok(['send', 'api', 'slow 60']);
  bed.press('api', 'Escape');
  await bed.see('api', 'Interrupted');
  await until('it rests', async () => (await bed.session('api')).activity.detail === 'background');
  await bed.ok(['stop', 'api']);

  await bed.ok(['hooks', 'uninstall', 'agy', '--yes']);
  expect(readFileSync(file, 'utf8')).toBe(THEIRS);
});

it.concurrent('says that hooks which were installed are not in force', async () => {
  await using bed = await AgyBed.prepare();
  const file = join(bed.home, '.gemini', 'config', 'hooks.json');
  const hooksOf = async (name: string) => (await bed.session(name)).hooks;
  await bed.createAgy('before', ['--prompt', 'say one']);
  expect(await hooksOf('before')).toBe('none');
  await bed.ok(['stop', 'before']);
  await bed.ok(['hooks', 'install', 'agy', '--yes']);
  // As another tool does that writes the file anew.
  writeFileSync(file, THEIRS);
  await bed.createAgy('api');
  expect(await hooksOf('api')).toBeNull();
  await bed.ok(['send', 'api', 'say one', '--wait', 'answered', '--timeout', '60']);
  expect(await hooksOf('api')).toBe('silent');
  expect((await bed.ok(['status', 'api'])).stdout).toContain('screen, no hooks');
  await bed.ok(['stop', 'api']);
  expect(await hooksOf('api')).toBeNull();
});

it.concurrent('never replaces itself by a newer version under mam', async () => {
  await using bed = await AgyBed.prepare();
  bed.writeAgySettings({ onboardingComplete: true, stubOffersUpdate: true });
  expect((await bed.createAgy('api')).code).toBe(0);
  const { stdout } = await bed.ok(['doctor', '--agent', 'agy']);
  expect(stdout).toMatch(/agy-version: 1\.3\.1\n.*agy-auth: signed in/);
  expect(existsSync(join(bed.agyFolder, 'cache', 'update.json'))).toBe(false);
});

it.concurrent('is ended with the shell that its tool runs, which would outlive it', async () => {
  await using bed = await AgyBed.prepare();
  await bed.createAgy('api', ['--permissions', 'skip', '--prompt', 'run sleep 4321']);
  const shell = () => bed.processes().some(({ command }) => command.includes('sleep 4321'));
  await until('the tool runs', shell);
  // It works, so its own word is not typed: TERM leaves the lock and the shell behind.
  const { json } = await bed.ok(['stop', 'api', '--json']);
  expect(json.sessions[0]).toMatchObject({ survivors: [], ended: { exit_code: 143 } });
  expect(shell()).toBe(false);
});
