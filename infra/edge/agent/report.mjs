/** As many as the API takes in one request. */
const maximumTold = 100;

/** What the API does not know yet of what the server runs. */
export class Report {
  /** @param entries by property; undefined where the API need not be told anything */
  constructor(entries) {
    this.entries = entries && new Map(entries);
  }

  get isDue() {
    return this.entries?.size > 0;
  }

  /** The next request tells something, be it that everything is applied. */
  begin() {
    this.entries ??= new Map();
  }

  /** @param fault `unsaved` or `unreadable`; undefined where there is none */
  tell({ propertyId, version }, fault) {
    this.begin();
    this.entries.set(propertyId, { propertyId, version, ...(fault && { fault }) });
  }

  /** @returns what one request tells; undefined for nothing at all */
  next() {
    return this.entries && [...this.entries.values()].slice(0, maximumTold);
  }

  /** The API has it. */
  forget(told = []) {
    for (const { propertyId } of told) this.entries.delete(propertyId);
    if (this.entries?.size === 0) this.entries = undefined;
  }

  clear() {
    this.entries = undefined;
  }
}
