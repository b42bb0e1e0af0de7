import { commandList } from './commands.ts';
import { VERSION } from './version.ts';
import { writeOut } from './write.ts';

/** Loads only what the command at hand needs: `--version` loads nothing but this file. */
async function main(argv: readonly string[]): Promise<number> {
  const words = argv.filter((word) => word !== '--json');
  const isJson = words.length < argv.length;
  const [first] = words;
  if (first === '--version' || first === '-V') {
    writeOut(`${VERSION}\n`);
    return 0;
  }
  const isHelp = first === '--help' || first === '-h' || (first === 'help' && !words[1]);
  if (isHelp || argv.length === 0) {
    writeOut(isJson ? overviewJson() : overview());
    return isHelp ? 0 : 2;
  }
  const isReader = first === 'status' || first === 'capture';
  const { run } = isReader ? await import('./entry-readers.ts') : await import('./entry-all.ts');
  return run(argv);
}

function overviewJson(): string {
  const json = { v: 1, version: VERSION, commands: commandList, help: overview() };
  return `${JSON.stringify(json)}\n`;
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
