import type { IncomingHttpHeaders } from 'node:http';

const maximumMembers = 8;

/**
 * Whether a request has been at a site before, whose origin leads back to an edge. Each edge adds the property to
 * `CDN-Loop` when it asks an origin. Source: RFC 8586.
 */
export function isLoop({ 'cdn-loop': loop }: IncomingHttpHeaders, propertyId: string): boolean {
  const members = String(loop ?? '').split(',');
  return members.length > maximumMembers || members.some((member) => nameOf(member) === propertyId);
}

export function withMember({ 'cdn-loop': loop }: IncomingHttpHeaders, propertyId: string): string {
  return loop ? `${loop}, ${propertyId}` : propertyId;
}

/** Parameters may follow it. */
function nameOf(member: string): string {
  return member.split(';', 1)[0]?.trim() ?? '';
}
