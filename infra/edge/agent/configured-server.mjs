/** The server, as far as the agent knows what it has. */
export class ConfiguredServer {
  constructor({ onBegin = () => {}, apply, onReady = () => {} }) {
    Object.assign(this, { onBegin, apply, onReady });
    /** Versions of what it has, or had when it was deleted. */
    this.held = new Map();
    /** Properties whose newest document it has no room for. */
    this.withoutRoom = new Set();
    /** It must get everything that it should have: it was started, or nobody knows what it has taken. */
    this.isHandOverDue = true;
  }

  /** What follows, up to `ready`, is everything. */
  begin() {
    this.isHandOverDue = false;
    this.onBegin();
  }

  /** All of a page in one call. @returns why it did not take a property, by its id: `noRoom` or `unreadable` */
  async take(changes) {
    if (changes.length === 0) return new Map();
    for (const { propertyId, version } of changes) this.held.set(propertyId, version);
    const refusals = await this.orDoubt(() => this.apply(changes));
    const faults = new Map((refusals ?? []).map(({ propertyId, fault }) => [propertyId, fault]));
    for (const { propertyId } of changes) {
      if (faults.get(propertyId) === 'noRoom') this.withoutRoom.add(propertyId);
      else this.withoutRoom.delete(propertyId);
    }
    return faults;
  }

  /** Not where another one has taken its place meanwhile, which has not got everything. */
  async ready() {
    if (!this.isHandOverDue) await this.orDoubt(() => this.onReady());
  }

  async orDoubt(call) {
    try {
      return await call();
    } catch (error) {
      this.isHandOverDue = true;
      throw error;
    }
  }
}
