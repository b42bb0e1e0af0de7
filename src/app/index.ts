export type { MamError } from '../domain/errors.ts';
export { type AttachPlan, type AttachRequest, planAttach } from './attach.ts';
export { type CapturedScreen, captureScreen } from './capture.ts';
export { type Check, doctor } from './doctor.ts';
export { type Mam, type Outcome, openMam } from './mam.ts';
export { init } from './open-fleet.ts';
export { openStatus, type StatusReader } from './open-status.ts';
export type { OpenOptions } from './surroundings.ts';
