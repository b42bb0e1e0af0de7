import { statfsSync } from 'node:fs';

/**
 * Local file systems on which SQLite's WAL is safe, by their magic numbers. WAL shares memory between
 * processes, which network and user-space file systems do not give.
 *
 * @see statfs(2); https://sqlite.org/wal.html
 */
const WAL_SAFE: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0x01021994, // tmpfs
  0x794c7630, // overlay
]);

export function isWalSafe(folder: string): boolean {
  return WAL_SAFE.has(statfsSync(folder).type);
}
