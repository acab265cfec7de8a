import type { ConfigDocument } from '../../../shared/edge-config/document.ts';
import type { ConfigChange } from '../agent/config-agent.d.mts';

/** What the edge serves, by host name. */
export class Sites {
  private readonly documents = new Map<string, ConfigDocument>();
  private byHostname: ReadonlyMap<string, ConfigDocument> = new Map();

  find(hostname: string): ConfigDocument | undefined {
    return this.byHostname.get(hostname);
  }

  /** All at once: no request sees a part of the changes. */
  apply(changes: readonly ConfigChange[]): void {
    for (const { propertyId, document } of changes) {
      if (document) this.documents.set(propertyId, document);
      else this.documents.delete(propertyId);
    }
    this.byHostname = byHostname([...this.documents.values()]);
  }
}

/** A host name that changes hands is in two documents for a moment: then the later claim holds. */
function byHostname(documents: readonly ConfigDocument[]): ReadonlyMap<string, ConfigDocument> {
  const claims = documents.flatMap((document) => document.hostnames.map((claim) => ({ ...claim, document })));
  const oldestFirst = claims.sort((one, other) => one.claimedAt - other.claimedAt);
  return new Map(oldestFirst.map(({ hostname, document }) => [hostname, document]));
}
