import { renderSVG } from 'uqr';
import * as z from 'zod';
import { newTotpSecret, totpUri } from '../../shared/auth/totp.ts';
import { encryptTotpSecret, encryptTotpSecretTouches } from '../../shared/auth/totp-secret.ts';
import { hasTwoFactor } from '../../shared/auth/user.ts';
import { changeUser, changeUserTouches, getUserTouches, requireUser } from '../../shared/auth/user-table.ts';
import { absent } from '../../shared/aws/expression.ts';
import { ApiError } from '../../shared/ground/api-error.ts';
import { messages } from '../../shared/ground/messages.ts';
import { touching } from '../../shared/ground/touches.ts';
import { declareEndpoint } from '../../shared/http/endpoint.ts';
import { examples } from '../../shared/http/examples.ts';
import { serve } from '../../shared/http/serve.ts';

const TotpSecret = z
  .object({
    secret: z.string().describe('Base32 of 160 random bits, for typing in.'),
    otpauthUri: z.string().describe('What an authenticator app scans.'),
    qrCode: z.string().describe('The same as a picture: an SVG data URI.'),
  })
  .meta({ id: 'TotpSecret', description: 'A secret for an authenticator app.' })
  .register(examples, {
    secret: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      otpauthUri: 'otpauth://totp/CDN:anna%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=CDN',
      qrCode: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    },
  });

export const endpoint = declareEndpoint({
  method: 'POST',
  path: '/api/Auth/2fa/setup',
  access: 'user',
  neverStored: true,
  summary: 'Make a TOTP secret; it is not active until enabled',
  description:
    'Show the QR code to the user and send a code of the app to /api/Auth/2fa/enable. A second call replaces the secret of the first.',
  failures: {
    conflict: {
      description: 'Two-factor authentication is enabled already.',
      message: messages.twoFactorEnabled,
    },
  },
  data: TotpSecret,
  touches: touching(getUserTouches, encryptTotpSecretTouches, changeUserTouches),
});

export const handler = serve(endpoint, async ({ caller }) => {
  const user = await requireUser(caller);
  if (hasTwoFactor(user)) throw new ApiError('conflict', messages.twoFactorEnabled);
  const secret = newTotpSecret();
  const pendingTotpSecret = await encryptTotpSecret(user, secret);
  const change = { set: { pendingTotpSecret } };
  if (!(await changeUser(user.username, change, absent('totpSecret')))) {
    throw new ApiError('conflict', messages.twoFactorEnabled);
  }
  const otpauthUri = totpUri(secret, user.username);
  const qrCode = `data:image/svg+xml;base64,${Buffer.from(renderSVG(otpauthUri)).toString('base64')}`;
  return { secret, otpauthUri, qrCode };
});
