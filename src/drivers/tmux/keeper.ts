/**
 * The session that a monitor's control client is attached to. It is nobody else's: looks leave it out,
 * and names of that kind cannot be given to a session.
 */
export const KEEPER = 'mam-keeper';
