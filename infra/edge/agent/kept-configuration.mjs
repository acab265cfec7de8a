import { documentFault } from './document-fault.mjs';
import { DocumentFiles } from './document-files.mjs';

/** What the server should have, on disk; what the disk does not take is held here until it does. */
export class KeptConfiguration {
  constructor(dir, onError) {
    this.files = new DocumentFiles(dir);
    this.onError = onError;
    /** Changes that the disk did not take, by property. */
    this.unsaved = new Map();
  }

  /**
   * Writes what is new, and again what the disk did not take before.
   * @returns the texts that are replaced, by property, and the changes of before that are kept now
   */
  async save(changes) {
    const before = this.unsaved;
    const all = new Map([...before, ...changes.map((change) => [change.propertyId, change])]);
    const { faults, replaced } = await this.files.save([...all.values()]);
    this.unsaved = new Map([...all].filter(([propertyId]) => faults.has(propertyId)));
    for (const [propertyId, fault] of faults)
      if (!before.has(propertyId))
        this.onError(new Error(`the document of property ${propertyId} is not kept: ${fault}`));
    const caughtUp = [...before.values()].filter(({ propertyId }) => !this.unsaved.has(propertyId));
    return { replaced, caughtUp };
  }

  /** A document is not served: the text before it is kept instead. */
  async takeBack({ propertyId }, text) {
    this.unsaved.delete(propertyId);
    await this.files.restore(propertyId, text);
  }

  /** Everything, in chunks, since there may be more than should be in memory at once. @param faults as `DocumentFiles.load` */
  *changes(faults) {
    for (const documents of this.files.load(documentFault, faults))
      yield documents.filter(({ propertyId }) => !this.unsaved.has(propertyId)).map(changeOf);
    yield [...this.unsaved.values()];
  }

  /** @returns undefined for a file that cannot be read */
  newest(propertyId) {
    if (this.unsaved.has(propertyId)) return this.unsaved.get(propertyId);
    const document = this.files.read(propertyId);
    return documentFault(document, propertyId) === undefined ? changeOf(document) : undefined;
  }
}

function changeOf(document) {
  return { propertyId: document.propertyId, version: document.version, document };
}
