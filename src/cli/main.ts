import { commandList } from './commands.ts';
import { VERSION } from './version.ts';
import { writeOut } from './write.ts';

/** Loads only what the command at hand needs: `--version` loads nothing but this file. */
async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  if (first === '--version' || first === '-V') {
    writeOut(`${VERSION}\n`);
    return 0;
  }
  if (
    first === undefined ||
    first === '--help' ||
    first === '-h' ||
    (first === 'help' && !argv[1])
  ) {
    writeOut(overview());
    return first === undefined ? 2 : 0;
  }
  const isReader = first === 'status' || first === 'capture';
  const { run } = isReader ? await import('./entry-readers.ts') : await import('./entry-all.ts');
  return run(argv);
}

function overview(): string {
  const width = Math.max(...commandList.map(({ name }) => name.length));
  const lines = commandList.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `mam ${VERSION}: run agent CLIs side by side in tmux, and depend on them

Usage: mam COMMAND [OPTIONS]

${lines.join('\n')}

Every command takes --json, --workspace DIR, --quiet, --verbose.
mam help COMMAND shows its options and examples that work.
`;
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
