/** Set by the bundler from package.json. */
declare const __MAM_VERSION__: string | undefined;

export const VERSION = typeof __MAM_VERSION__ === 'undefined' ? '0.0.0-source' : __MAM_VERSION__;
