/**
 * A stand-in for Antigravity CLI (`agy`), for tests: the real program is closed and needs an account. It
 * takes the same command line, draws the same screens, writes the same files and fires the same hooks as
 * far as others have recorded them, its known misbehaviour included; docs/testing.md says how to steer it.
 */
import { App } from './app.ts';
import { type Argv, parseArgv, USAGE, UsageError } from './argv.ts';
import { runHeadless } from './headless.ts';
import { currentKnobs, gatherParts, updateItself } from './parts.ts';

const MODELS = [
  ['gemini-3.8-flash-high', 'Gemini 3.8 Flash (High)'],
  ['gemini-3.8-flash-low', 'Gemini 3.8 Flash (Low)'],
] as const;

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(error.status);
});

async function main(words: readonly string[]): Promise<void> {
  const argv = parseArgv(words);
  if (argv.flags.has('version')) return print(currentKnobs(argv).version.text);
  if (argv.flags.has('help')) return print(USAGE);
  const [word] = argv.words;
  if (word === 'models') updateItself();
  if (word === 'models') return printModels(argv);
  if (word !== undefined) throw new UsageError(`unknown command: ${word}`, 1);
  const parts = gatherParts(argv);
  const prompt = argv.strings.print;
  if (prompt !== undefined) process.exit(await runHeadless(prompt, parts));
  await new App(parts).start();
}

/** The flag for the format stands before the word, as in the real one. */
function printModels({ words, strings }: Argv): void {
  if (words.length > 1) throw new UsageError(`unknown argument: ${words[1]}`, 1);
  if (process.env.STUB_AGY_SIGNED_OUT === '1') {
    const error =
      'Please sign in to view available models. Launch the CLI without arguments to sign in.';
    throw new UsageError(`Error: ${error}`, 1);
  }
  if (strings['output-format'] === 'json')
    print(JSON.stringify(MODELS.map(([id, name]) => ({ id, name }))));
  else print(['Fetching available models...', ...MODELS.map((row) => row.join('\t'))].join('\n'));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
