import type { Delivery } from '../../../domain/delivery.ts';
import { workspacePaths } from '../../../domain/workspace.ts';
import type { FleetContext, ReadContext } from '../context.ts';

/** A text that no unsettled delivery needs is removed when it is so old; its row may still be on its way. */
const LEFT_OVER_MS = 10 * 60_000;

type TextOf = Pick<Delivery, 'id' | 'launch' | 'hash'>;

/**
 * Where a delivery's text lies until its end. The hash is part of the name: a second caller with the
 * same id and another text cannot overwrite it before its conflict is seen.
 */
export function textPath({ workspace }: Pick<ReadContext, 'workspace'>, delivery: TextOf): string {
  return `${workspacePaths.launch(workspace, delivery.launch)}/${fileName(delivery)}`;
}

/** Whole and on disk before the row that names it. The folder may have been removed since the start. */
export function storeText(context: FleetContext, delivery: TextOf, text: string): void {
  context.files.makeFolder(workspacePaths.launch(context.workspace, delivery.launch));
  context.files.writeAtomic(textPath(context, delivery), text);
}

/** Takes a stored text back whose launch is over, and the folder when it was made for it alone. */
export function discardText(context: FleetContext, delivery: TextOf): void {
  removeText(context, delivery);
  const folder = workspacePaths.launch(context.workspace, delivery.launch);
  if (context.files.list(folder).length === 0) context.files.remove(folder);
}

export function readText(context: ReadContext, delivery: TextOf): string | undefined {
  return context.files.readText(textPath(context, delivery));
}

export function removeText(context: FleetContext, delivery: TextOf): void {
  context.files.remove(textPath(context, delivery));
}

/** Texts of deliveries that ended long ago, or whose row was never written. */
export function removeOldTexts(
  { files, workspace, clock }: FleetContext,
  launch: string,
  needed: readonly TextOf[],
): void {
  const folder = workspacePaths.launch(workspace, launch);
  const kept = new Set(needed.map(fileName));
  for (const name of files.list(folder)) {
    if (!TEXT_NAME.test(name) || kept.has(name)) continue;
    const stat = files.stat(`${folder}/${name}`);
    if (stat && clock.nowMs() - stat.modifiedMs > LEFT_OVER_MS) files.remove(`${folder}/${name}`);
  }
}

const TEXT_NAME = /^delivery-.+\.[0-9a-f]{16}\.txt$/;

function fileName({ id, hash }: TextOf): string {
  return `delivery-${id}.${hash.slice(0, 16)}.txt`;
}
