import { describe, expect, it } from 'vitest';
import { TestBed } from '../support/test-bed.ts';

describe('BL-05 slash text opens a menu that eats the message', () => {
  it('runs commands once with their arguments, and delivers paths as text', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--slash-menu']);
    const texts = [
      '/clear',
      '/model small now',
      '/etc/hosts looks wrong, explain',
      ' /leading space',
      'hello',
    ];
    const evidence: string[] = [];
    for (const text of texts) {
      const { json } = await bed.ok(['send', 'a1', text, '--json']);
      expect(json.delivery.state).toBe('submitted');
      evidence.push(json.delivery.evidence.source);
    }
    // Hooks tell of /clear; /model fires none, so its echo on the screen must do.
    expect(evidence).toEqual(['hook', 'screen', 'hook', 'hook', 'hook']);
    expect(bed.truth().map(({ mode, text, args }) => [mode, text, args])).toEqual([
      ['command', '/clear', ''],
      ['command', '/model small now', 'small now'],
      // A blank in front keeps the menu shut and is part of the prompt.
      ['prompt', ' /etc/hosts looks wrong, explain', undefined],
      ['prompt', ' /leading space', undefined],
      ['prompt', 'hello', undefined],
    ]);
  });

  it('does not call a command submitted that a menu ate', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--eat-command']);
    const { code, json } = await bed.mam(['send', 'a1', '/model small now', '--json']);
    expect(code).toBe(6);
    expect(json.delivery).toMatchObject({ state: 'unknown', evidence: null });
    expect(bed.truth()).toEqual([]);
    await bed.ok(['send', 'a1', '/model small now']);
    expect(bed.truth().map(({ mode, args }) => [mode, args])).toEqual([['command', 'small now']]);
  });

  it('does not call a prompt submitted that left the composer without one', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1', ['--vanish-once']);
    const { code, json } = await bed.mam(['send', 'a1', 'hello', '--json']);
    expect(code).toBe(6);
    expect(json.delivery.state).toBe('not-submitted');
    expect(json.delivery.reason).toContain('vanished');
    expect(bed.truth()).toEqual([]);
    await bed.ok(['send', 'a1', 'hello']);
    expect(bed.truth().map(({ text }) => text)).toEqual(['hello']);
  });

  it('takes the end of the agent as the proof of its own word for it', async () => {
    await using bed = await TestBed.open();
    await bed.create('a1');
    const { json } = await bed.ok(['send', 'a1', '/exit', '--json']);
    expect(json.delivery.state).toBe('submitted');
    expect(bed.truth().map(({ mode, text }) => [mode, text])).toEqual([['command', '/exit']]);
  });
});
