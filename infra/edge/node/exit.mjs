/** Why the node cannot run: one line on standard error, and the status it ends with. */
export class Exit extends Error {
  constructor(status, message) {
    super(message.replace(/\s+/g, ' '));
    this.status = status;
  }
}

export function failure(message) {
  return new Exit(1, message);
}
