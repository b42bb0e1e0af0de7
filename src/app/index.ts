export type { MamError } from '../domain/errors.ts';
export { type Mam, type Outcome, openMam } from './mam.ts';
export { init } from './open-fleet.ts';
export type { OpenOptions } from './surroundings.ts';
