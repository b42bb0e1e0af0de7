import { lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readIfThere } from '../../base/file-io.ts';
import { MamError, unreadable } from '../../domain/errors.ts';

export const COLS = 140;
export const ROWS = 40;

/**
 * Our server's options. `window-size manual` is set per window, never here: globally it ends tmux
 * 3.3a. `exit-empty off`: a `new-session` right after the last session ended could fail otherwise.
 */
const CONFIG = `# Written by mam at each start of its tmux server; edits are lost.
set -s exit-empty off
set -s escape-time 0
set -s set-clipboard off
set -g update-environment ''
set -g default-shell /bin/sh
set -g default-command ''
set -g default-terminal tmux-256color
set -g history-limit 20000
set -g remain-on-exit off
set -g destroy-unattached off
set -g detach-on-destroy on
set -g base-index 0
set -g pane-base-index 0
set -g renumber-windows off
set -g automatic-rename off
set -g allow-rename off
set -g status off
set -g mouse on
`;

/**
 * Makes what a server that is started now needs: its options, and the folder of its socket. The file is
 * replaced as a whole: another process may be starting the server from it at this moment, and half of
 * it would be half of our options.
 */
export function prepareServer({ configFile, socket }: ServerFiles): void {
  for (const file of [configFile, socket])
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (readConfig(configFile) === CONFIG) return;
  const temporary = `${configFile}.${process.pid}.tmp`;
  writeFileSync(temporary, CONFIG, { mode: 0o600 });
  renameSync(temporary, configFile);
}

function readConfig(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

export interface ServerFiles {
  readonly configFile: string;
  readonly socket: string;
}

/**
 * Refuses a socket in a folder that another user made: whoever owns it can put a server of his own
 * there and read what we type. A folder that is not there yet is nobody's.
 *
 * @throws {MamError} `workspace.untrusted`
 */
export function assertOwnFolder(socket: string): void {
  const folder = dirname(socket);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) return;
  const uid = process.getuid?.() ?? stat.uid;
  const isOurs = stat.isDirectory() && stat.uid === uid && (stat.mode & 0o022) === 0;
  if (isOurs) return;
  throw new MamError(
    'workspace.untrusted',
    `The tmux socket's folder ${folder} is not yours alone (owner ${stat.uid}, mode ${(stat.mode & 0o777).toString(8)}): it is not used.`,
    { path: folder },
    { hint: `Remove it, or make it yours: chmod 700 ${folder}` },
  );
}
