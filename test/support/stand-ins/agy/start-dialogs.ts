import type { Dialog } from './dialog.ts';
import { clip, wrapWords } from './layout.ts';
import type { Wording } from './wording.ts';

export const LOGO = [
  '      ▄▀▀▄',
  '     ▀▀▀▀▀▀',
  '    ▀▀▀▀▀▀▀▀',
  '   ▄▀▀    ▀▀▄',
  '  ▄▀▀      ▀▀▄',
] as const;

export const NOT_SIGNED_IN = [
  ...LOGO.map((row) => row.slice(1)),
  '',
  ' Welcome to the Antigravity CLI. You are currently not signed in.',
  '',
];

const UNNUMBERED = { numbered: false, marked: 0, digits: false } as const;

export const TRUST_YES = 'Yes, I trust this folder';

/** Digits and `y` do nothing here. */
export function trustDialog(path: string): Dialog {
  return {
    ...UNNUMBERED,
    id: 'trust',
    heading: (cols) => [
      ...['Accessing workspace:', '', clip(path, cols), ''],
      ...['Do you trust the contents of this project?', ''],
      ...wrapWords(
        'Antigravity CLI requires permission to read, edit, and execute files here.',
        cols,
      ),
      '',
    ],
    options: [TRUST_YES, 'No, exit'],
    hint: '  ↑/↓ Navigate · enter Confirm',
    footer: 'blank',
  };
}

export function loginDialog({ loginHint }: Wording): Dialog {
  return {
    ...UNNUMBERED,
    id: 'login',
    numbered: true,
    heading: (cols) => [
      ...NOT_SIGNED_IN.flatMap((row) => wrapWords(row, cols)),
      ' Select login method:',
    ],
    options: ['Google OAuth', 'Use a Google Cloud project'],
    hint: loginHint,
    footer: 'none',
  };
}

export function themeDialog(): Dialog {
  return {
    ...UNNUMBERED,
    id: 'theme',
    heading: () => [...LOGO, '', 'Choose a color scheme:', ''],
    options: ['Terminal colors', 'Dark', 'Light'],
    hint: '  ↑/↓ Navigate · enter Select',
    footer: 'none',
  };
}

/** Its buttons stand side by side. */
export function termsDialog(): Dialog {
  return {
    ...UNNUMBERED,
    id: 'terms',
    heading: () => [
      ...['      Terms and Privacy:', '      - Terms of Service: https://cloud.google.com/terms'],
      ...['', '    [Previous]    >  Done'],
    ],
    options: [],
    hint: '  ↑/↓ Navigate · enter Confirm',
    footer: 'none',
  };
}
