import { randomBytes } from 'node:crypto';
import { readSecret } from '../../../shared/aws/secrets-manager.ts';
import { settingVariable } from '../../../shared/ground/resources.ts';
import { functionSetting } from '../aws/function-setting.ts';
import { putSecret } from '../aws/secret.ts';
import type { Command } from './command.ts';

const keyBytes = 48;

export const signingKeyCommands: Readonly<Record<string, Command>> = {
  rotate: {
    summary: 'Sign new tokens with a new key',
    details: 'Tokens of the last key live out their time; until then a second rotation is refused.',
    run: (_, { stack }) => rotate(stack),
  },
};

/** Two keys are alive, so that a second rotation within a lifetime would end tokens before their time. */
async function rotate(stack: string) {
  const current = await readSecret('signingKey', 'AWSCURRENT');
  const previous = await readSecret('signingKey', 'AWSPREVIOUS');
  const againAt = (current?.createdAt.getTime() ?? 0) + (await tokenLifetimeSeconds(stack)) * 1000;
  if (previous && againAt > Date.now()) {
    throw new Error(
      `The last rotation is too recent. Rotate again after ${new Date(againAt).toISOString()}.`,
    );
  }
  return { kid: await putSecret('signingKey', randomBytes(keyBytes).toString('base64url')) };
}

/** As the login has it, since it is the deployment's choice. */
async function tokenLifetimeSeconds(stack: string): Promise<number> {
  return Number(await functionSetting(`${stack}-auth-login`, settingVariable('tokenLifetimeSeconds')));
}
