import type { Guard } from './guard.ts';
import { accessTokens } from './guards/access-tokens.ts';
import { accountChecks } from './guards/account-checks.ts';
import { addresses } from './guards/addresses.ts';
import { authentication } from './guards/authentication.ts';
import { delivery } from './guards/delivery.ts';
import { edgeScope } from './guards/edge-scope.ts';
import { fetches } from './guards/fetches.ts';
import { isolation } from './guards/isolation.ts';
import { limits } from './guards/limits.ts';
import { purgeSignatures } from './guards/purge-signatures.ts';
import { rules } from './guards/rules.ts';
import { secrets } from './guards/secrets.ts';
import { singleUse } from './guards/single-use.ts';
import { storedResponses } from './guards/stored-responses.ts';
import { tls } from './guards/tls.ts';
import { twoTiers } from './guards/two-tiers.ts';
import { writeConditions } from './guards/write-conditions.ts';

/** Every guard that `npm run mutation` takes out. */
export const guards: readonly Guard[] = [
  ...authentication,
  ...accessTokens,
  ...singleUse,
  ...isolation,
  ...accountChecks,
  ...purgeSignatures,
  ...fetches,
  ...storedResponses,
  ...limits,
  ...writeConditions,
  ...delivery,
  ...edgeScope,
  ...rules,
  ...addresses,
  ...twoTiers,
  ...tls,
  ...secrets,
];
