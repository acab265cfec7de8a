/** A CloudFront distribution as its edge's address names it: `cloudfront:E2QWRUHAPOMQZL`. */
const scheme = 'cloudfront:';

/** AWS documents no form of its ids; all that it gives are 13 to 15 of these characters. */
export const distributionIdPattern = /^[A-Z0-9]{8,20}$/;

/** @returns undefined where the address names no distribution */
export function distributionOf(url: string): string | undefined {
  const id = url.startsWith(scheme) ? url.slice(scheme.length) : '';
  return distributionIdPattern.test(id) ? id : undefined;
}
