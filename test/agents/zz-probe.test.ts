import { describe, it } from 'vitest';
import { ClaudeBed } from '../support/real-agents/claude-bed.ts';
describe.each(['2.1.332', '2.1.197'] as const)('probe %s', (version) => {
  it('commands', async () => {
    await using bed = await ClaudeBed.open(version);
    await bed.ok(['create', 'api', '--agent', 'claude', '--role', 'creator', '--json']);
    for (const text of ['hello', '/clear', '/context', '/nonsense-command', '/cost', 'after']) {
      const t = Date.now();
      const r = await bed.mam(['send', 'api', text, '--json']);
      console.log(version, text, r.code, JSON.stringify(r.json?.delivery ?? r.json), Date.now() - t);
      const c = await bed.mam(['capture', 'api']);
      console.log(c.stdout.split('\n').filter((l) => l.trim()).slice(-14).join('\n'));
      console.log(JSON.stringify((await bed.session('api')).activity));
    }
  });
});
