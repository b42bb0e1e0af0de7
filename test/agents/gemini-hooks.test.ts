import { describe, expect, it } from 'vitest';
import { GeminiBed } from '../support/real-agents/gemini-bed.ts';
import { until } from '../support/until.ts';

describe('the real Gemini CLI with hooks in the user’s settings', () => {
  it('tells by them, and a conversation that a person began inside it is followed', async () => {
    await using bed = await GeminiBed.open();
    await bed.ok(['hooks', 'install', 'gemini', '--yes']);
    const created = await bed.create('api', ['--prompt', 'the first conversation']);
    expect(created.json.delivery.state).toBe('submitted');
    const first: string = created.json.session.conversation_id;
    const answered = await bed.ask('api', 'say [[say hello]]');
    expect(answered.json.delivery).toMatchObject({ answer: 'hello' });
    // The answer is in the file before the hook of the turn's end has run.
    await until('its hook tells of the end', async () => {
      const { state, source } = (await bed.session('api')).activity;
      return state === 'idle' && source === 'hook';
    });

    // By hand, at the terminal: nothing but the hook tells that it is another one now.
    await bed.type('api', '/clear');
    await until('it says so', async () => {
      const { activity } = await bed.session('api');
      return activity.state === 'idle';
    });
    await bed.type('api', 'the second conversation');
    await until('the session is on it', async () => {
      await bed.ask('api', 'and more');
      return (await bed.session('api')).conversation_id !== first;
    });
    const { conversation_id: second, conversation_history: history } = await bed.session('api');
    expect(history).toEqual([first]);

    await bed.ok(['stop', 'api']);
    await bed.ok(['resume', 'api', '--prompt', 'still the second']);
    await bed.reaches('api', 'idle');
    const text = bed.transcriptOf(second ?? '');
    expect(text).toContain('the second conversation');
    expect(text).toContain('still the second');
    expect(text).not.toContain('the first conversation');
    await bed.ok(['stop', 'api', '--purge-conversation']);
    expect([bed.chatsOf(first), bed.chatsOf(second ?? '')]).toEqual([[], []]);
  });

  it('is followed without any, once it is spoken to by mam', async () => {
    await using bed = await GeminiBed.open();
    const created = await bed.create('api', ['--prompt', 'the first conversation']);
    const first: string = created.json.session.conversation_id;
    await bed.reaches('api', 'idle');
    await bed.ok(['send', 'api', '/clear']);
    const sent = await bed.ask('api', 'the second conversation');
    expect(sent.json.delivery).toMatchObject({
      state: 'answered',
      evidence: { source: 'transcript' },
    });
    const { conversation_id: second, conversation_history: history } = await bed.session('api');
    expect(history).toEqual([first]);
    expect(bed.transcriptOf(second ?? '')).toContain('the second conversation');
    await bed.ok(['stop', 'api']);
  });
});
