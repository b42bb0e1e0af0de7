/** Ends a `switch` over a union: the compiler complains when a case is missing. */
export function assertNever(value: never): never {
  throw new TypeError(`unhandled case: ${JSON.stringify(value)}`);
}
