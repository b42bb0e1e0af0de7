/** What differs between two texts, for a person: the lines that went (`-`) and came (`+`) in the middle. */
export function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
  ];
}
