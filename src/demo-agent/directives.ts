/** What a prompt tells the demo agent to do, in the order written. */
export type Directive =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'permission'; readonly command: string }
  | { readonly kind: 'ask'; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: 'crash'; readonly status: number }
  /** `seconds`: until it lifts; 0: it does not say. */
  | { readonly kind: 'limit'; readonly seconds: number }
  | { readonly kind: 'spin' | 'kill' | 'fail' | 'child' };

/** Reads `[[name argument]]` marks; unknown ones are ignored. Linear in the size of the text. */
export function parseDirectives(text: string): Directive[] {
  const found: Directive[] = [];
  for (let at = text.indexOf('[['); at !== -1; at = text.indexOf('[[', at)) {
    const end = text.indexOf(']]', at);
    if (end === -1) break;
    const directive = parseDirective(text.slice(at + 2, end));
    if (directive !== undefined) found.push(directive);
    at = directive === undefined ? at + 2 : end + 2;
  }
  return found;
}

function parseDirective(body: string): Directive | undefined {
  const name = /^[a-z]+/.exec(body)?.[0] ?? '';
  if (!/^(\s|$)/.test(body.slice(name.length))) return undefined;
  const rest = body.slice(name.length).trim();
  switch (name) {
    case 'say':
      return { kind: 'say', text: rest };
    case 'delay':
      return { kind: 'delay', ms: wholeNumber(rest, 0) };
    case 'permission':
      return { kind: 'permission', command: rest };
    case 'ask':
      return parseAsk(rest);
    case 'crash':
      return { kind: 'crash', status: wholeNumber(rest, 1) };
    case 'limit':
      return { kind: 'limit', seconds: wholeNumber(rest, 0) };
    case 'spin':
    case 'kill':
    case 'fail':
    case 'child':
      return { kind: name };
    default:
      return undefined;
  }
}

function parseAsk(rest: string): Directive {
  const [question = '', ...options] = rest.split('|').map((part) => part.trim());
  return { kind: 'ask', question, options: options.length > 0 ? options : ['Yes', 'No'] };
}

function wholeNumber(text: string, otherwise: number): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}
