import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { type EncryptionKeyName, fromEnvironment, keyVariable } from '../ground/resources.ts';
import { clientSettings } from './client-settings.ts';

let client: KMSClient | undefined;

/** What a ciphertext belongs to; it cannot be decrypted as anything else's. */
type EncryptionContext = Readonly<Record<string, string>>;

export async function encrypt(
  key: EncryptionKeyName,
  plaintext: string,
  context: EncryptionContext,
): Promise<Uint8Array> {
  const { CiphertextBlob } = await kms().send(
    new EncryptCommand({
      KeyId: fromEnvironment(keyVariable(key)),
      Plaintext: Buffer.from(plaintext, 'utf8'),
      EncryptionContext: context,
    }),
  );
  if (!CiphertextBlob) throw new Error('KMS responded without a ciphertext');
  return CiphertextBlob;
}

export async function decrypt(
  key: EncryptionKeyName,
  ciphertext: Uint8Array,
  context: EncryptionContext,
): Promise<string> {
  const { Plaintext } = await kms().send(
    new DecryptCommand({
      KeyId: fromEnvironment(keyVariable(key)),
      CiphertextBlob: ciphertext,
      EncryptionContext: context,
    }),
  );
  if (!Plaintext) throw new Error('KMS responded without a plaintext');
  return Buffer.from(Plaintext).toString('utf8');
}

function kms(): KMSClient {
  client ??= new KMSClient(clientSettings());
  return client;
}
