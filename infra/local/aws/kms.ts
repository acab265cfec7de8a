import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { DataDirectory } from '../host/data-directory.ts';
import type { Template } from '../template/template.ts';
import { AwsError } from './aws-error.ts';

const file = 'kms.json';
const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

const Keys = z.record(z.string(), z.base64());
const Context = z.record(z.string(), z.string()).default({});
const EncryptInput = z.object({ KeyId: z.string(), Plaintext: z.base64(), EncryptionContext: Context });
const DecryptInput = z.object({ KeyId: z.string(), CiphertextBlob: z.base64(), EncryptionContext: Context });

/** The few KMS operations that functions and the operator call, with keys of this data directory. */
export function localKms(template: Template, directory: DataDirectory) {
  const keys = directory.read(file, Keys) ?? {};
  const aliases = aliasesOf(template);

  const keyOf = (keyId: string): Buffer => {
    const id = aliases.get(keyId) ?? keyId;
    if (!keys[id]) {
      keys[id] = randomBytes(32).toString('base64');
      directory.writeJson(file, keys);
    }
    return Buffer.from(keys[id], 'base64');
  };

  return {
    Encrypt(input: unknown): object {
      const { KeyId, Plaintext, EncryptionContext } = EncryptInput.parse(input);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, keyOf(KeyId), nonce).setAAD(authenticated(EncryptionContext));
      const sealed = Buffer.concat([cipher.update(Buffer.from(Plaintext, 'base64')), cipher.final()]);
      const blob = Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
      return { KeyId, CiphertextBlob: blob.toString('base64') };
    },
    Decrypt(input: unknown): object {
      const { KeyId, CiphertextBlob, EncryptionContext } = DecryptInput.parse(input);
      const blob = Buffer.from(CiphertextBlob, 'base64');
      const decipher = createDecipheriv(algorithm, keyOf(KeyId), blob.subarray(0, nonceBytes))
        .setAAD(authenticated(EncryptionContext))
        .setAuthTag(blob.subarray(nonceBytes, nonceBytes + tagBytes));
      try {
        const opened = Buffer.concat([
          decipher.update(blob.subarray(nonceBytes + tagBytes)),
          decipher.final(),
        ]);
        return { KeyId, Plaintext: opened.toString('base64') };
      } catch {
        throw new AwsError(
          'InvalidCiphertextException',
          'The ciphertext or its context is not the right one',
        );
      }
    },
  };
}

/** ARN of each key that the template gives an alias. */
function aliasesOf(template: Template): ReadonlyMap<string, string> {
  return new Map(
    template
      .ofType('AWS::KMS::Alias')
      .map(([, { Properties }]) => [
        template.resolveText(Properties.AliasName),
        template.resolveText(Properties.TargetKeyId),
      ]),
  );
}

function authenticated(context: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));
}
