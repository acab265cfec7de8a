import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

const name = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/**
 * A certificate with its chain and its key.
 * @param pair the texts of chain and key; the leaf comes first
 * @returns the host names that it is for, the time that it is for, and all of it as one text
 * @throws Error why visitors could not be served by it
 */
export function readCertificate({ chain, key }) {
  const leaf = leafOf(chain);
  const privateKey = privateKeyOf(key);
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('its key is of another certificate');
  const names = namesOf(leaf);
  if (names.length === 0) throw new Error('it names no host');
  const pem = [...certificatesOf(chain), privateKey.export({ type: 'pkcs8', format: 'pem' })].join('\n');
  checkUse(chain, privateKey);
  return { names, startsAt: Date.parse(leaf.validFrom), endsAt: Date.parse(leaf.validTo), pem };
}

function leafOf(chain) {
  try {
    return new X509Certificate(chain);
  } catch {
    throw new Error('it holds no certificate that can be read');
  }
}

function privateKeyOf(text) {
  try {
    return createPrivateKey(text);
  } catch {
    throw new Error('it has no private key that can be read');
  }
}

/** Of the subject alternative names; in Node's text of them a name has no comma of its own. */
function namesOf({ subjectAltName = '' }) {
  const names = subjectAltName.split(', ').map((entry) => /^DNS:(.*)$/.exec(entry)?.[1]?.toLowerCase() ?? '');
  return names.filter((text) => name.test(text));
}

function certificatesOf(chain) {
  return chain.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? [];
}

/** What OpenSSL refuses when it is to serve it: a key that is too weak, or a chain of which a part cannot be read. */
function checkUse(chain, privateKey) {
  try {
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    createSecureContext({ cert: chain, key, ciphers: 'DEFAULT:@SECLEVEL=2' });
  } catch ({ message }) {
    throw new Error(`it cannot be used: ${message}`);
  }
}
