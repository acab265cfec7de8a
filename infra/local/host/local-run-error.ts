/** Something the person at the terminal can fix: shown as one line, and the run ends with status 1. */
export class LocalRunError extends Error {}
