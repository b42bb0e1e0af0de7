/** Of the demo agent itself, which has nothing to do with mam's own version. */
export const VERSION = '1.0.0';
