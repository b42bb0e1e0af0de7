/**
 * A file's identity in one line. Equal to the one noted when mam wrote the face: nobody has written into
 * it or put another in its place since, so its hash need not be looked at.
 */
export function faceStamp(inode: number, sizeBytes: number, modifiedMs: number): string {
  return `${inode} ${sizeBytes} ${modifiedMs}\n`;
}
