import { setTimeout as sleep } from 'node:timers/promises';
import { writeJson } from '../../../../src/demo-agent/home.ts';
import type { Dialog } from './dialog.ts';
import type { Parts } from './parts.ts';
import {
  loginDialog,
  NOT_SIGNED_IN,
  termsDialog,
  themeDialog,
  trustDialog,
} from './start-dialogs.ts';
import type { Ui } from './ui.ts';

/** What stands before the box: signing in, the first run's questions, trust. @returns Whether it goes on. */
export async function askAtStart(parts: Parts, ui: Ui): Promise<boolean> {
  const { knobs, settings, onboarded, place } = parts;
  if (knobs.signedOut) await signInForEver(parts, ui);
  if (!onboarded) {
    await confirm(themeDialog(), ui);
    await confirm(termsDialog(), ui);
    writeJson(`${place.folder}/cache/onboarding.json`, { onboardingComplete: true });
  }
  const untrusted = parts.untrusted();
  const [first] = untrusted;
  if (first === undefined) return true;
  const picked = await confirm(trustDialog(first), ui);
  if (picked !== 0) return false;
  settings.trust(untrusted);
  return true;
}

/** Only a browser would end it. */
async function signInForEver({ wording }: Parts, ui: Ui): Promise<void> {
  await confirm(loginDialog(wording), ui);
  ui.items = [{ kind: 'rows', rows: [...NOT_SIGNED_IN, ' ⣾  Signing in...'] }];
  for (;;) {
    ui.draw();
    await sleep(1_000);
  }
}

/** @returns The index that Enter took; Esc does nothing here. */
async function confirm(dialog: Dialog, ui: Ui): Promise<number> {
  for (;;) {
    const step = await ui.ask(dialog);
    if (step.kind === 'picked') return step.index;
  }
}
