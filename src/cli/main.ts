import { commandList } from './commands.ts';
import { VERSION } from './version.ts';

/** Loads only what the command at hand needs: `--version` loads nothing but this file. */
async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  if (first === '--version' || first === '-V') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (
    first === undefined ||
    first === '--help' ||
    first === '-h' ||
    (first === 'help' && !argv[1])
  ) {
    process.stdout.write(overview());
    return first === undefined ? 2 : 0;
  }
  const { runCommand } = await import('./run-command.ts');
  return runCommand(argv);
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

/** A closed pipe ends quietly: `mam status | head -1`. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await main(process.argv.slice(2));
