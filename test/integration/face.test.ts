import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readFaceRevision } from '../../src/protocol/yaml-face.ts';
import { TestBed } from '../support/test-bed.ts';

const faceOf = (bed: TestBed) => join(bed.cwd, '.mam', 'agent-sessions.yaml');
const asides = (bed: TestBed) =>
  readdirSync(join(bed.cwd, '.mam')).filter((name) => name.includes('.edited-'));

describe('the YAML face', () => {
  it('is written after each change, valid by its own last line', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const first = readFaceRevision(readFileSync(faceOf(bed), 'utf8'));
    await bed.ok(['stop', 'api']);
    const text = readFileSync(faceOf(bed), 'utf8');
    expect(readFaceRevision(text)).toBeGreaterThan(first ?? 0);
    expect(parse(text).sessions['demo-creator-api']).toMatchObject({
      name: 'api',
      status: 'stopped',
    });
  });

  it('sets an edit by hand aside under a dated name, reports it, and never overwrites it', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const edited = readFileSync(faceOf(bed), 'utf8').replace('status: running', 'status: stopped');
    writeFileSync(faceOf(bed), edited);

    const seen = await bed.ok(['status', '--json']);
    expect(seen.json.registry.yaml_edited).toBe(true);
    expect(seen.json.sessions[0].status).toBe('running');
    expect(readFileSync(faceOf(bed), 'utf8')).toBe(edited);

    const { stderr } = await bed.ok(['send', 'api', 'hello']);
    const [aside = ''] = asides(bed);
    expect(aside).toMatch(/^agent-sessions\.yaml\.edited-\d{4}-\d\d-\d\dT/);
    expect(stderr).toContain(aside);
    expect(readFileSync(join(bed.cwd, '.mam', aside), 'utf8')).toBe(edited);
    expect(readFaceRevision(readFileSync(faceOf(bed), 'utf8'))).toBeGreaterThan(0);
    expect((await bed.session('api')).status).toBe('running');
  });

  it('finds an edit that an editor wrote into the file it had open: by then it is the backup', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.ok(['send', 'api', 'one']);
    appendFileSync(`${faceOf(bed)}.bak`, '# written late\n');
    await bed.ok(['send', 'api', 'two']);
    const texts = asides(bed).map((name) => readFileSync(join(bed.cwd, '.mam', name), 'utf8'));
    expect(texts).toEqual([expect.stringMatching(/# written late\n$/)]);
  });

  it('is not written into by a command that comes after one killed at its last step', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    await bed.mam(['send', 'api', 'one'], { crashAt: 'face.W7' });
    const before = readFileSync(faceOf(bed), 'utf8');
    await bed.mam(['send', 'api', 'two'], { crashAt: 'face.W3' });
    expect(readFileSync(faceOf(bed), 'utf8')).toBe(before);
    await bed.ok(['send', 'api', 'three']);
    expect(asides(bed)).toEqual([]);
  });

  it('takes an old face that was copied back for its own, and goes on', async () => {
    await using bed = await TestBed.open();
    await bed.create('api');
    const old = readFileSync(faceOf(bed));
    await bed.ok(['stop', 'api']);
    writeFileSync(faceOf(bed), old);
    expect((await bed.ok(['status', '--json'])).json.registry.yaml_edited).toBe(false);
    await bed.create('other');
    const { sessions } = parse(readFileSync(faceOf(bed), 'utf8'));
    expect(sessions['demo-creator-api'].status).toBe('stopped');
    expect(asides(bed)).toEqual([]);
  });
});
