import type { Endpoint } from '../shared/http/endpoint.ts';
import { endpoint as accountGet } from './account/get.ts';
import { endpoint as apiKeyCreate } from './api-key/create.ts';
import { endpoint as apiKeyList } from './api-key/list.ts';
import { endpoint as apiKeyRevoke } from './api-key/revoke.ts';
import { endpoint as authLogin } from './auth/login.ts';
import { endpoint as authLogout } from './auth/logout.ts';
import { endpoint as authPassword } from './auth/password.ts';
import { endpoint as authTwoFactorDisable } from './auth/two-factor-disable.ts';
import { endpoint as authTwoFactorEnable } from './auth/two-factor-enable.ts';
import { endpoint as authTwoFactorRecoveryCodes } from './auth/two-factor-recovery-codes.ts';
import { endpoint as authTwoFactorSetup } from './auth/two-factor-setup.ts';
import { endpoint as authTwoFactorVerify } from './auth/two-factor-verify.ts';
import { endpoint as edgeConfigGet } from './edge-config/get.ts';
import { endpoint as edgeLogCreate } from './edge-log/create.ts';
import { endpoint as propertyCreate } from './property/create.ts';
import { endpoint as propertyDelete } from './property/delete.ts';
import { endpoint as propertyDeployment } from './property/deployment.ts';
import { endpoint as propertyGet } from './property/get.ts';
import { endpoint as propertyList } from './property/list.ts';
import { endpoint as propertyUpdate } from './property/update.ts';
import { endpoint as purgeCreate } from './purge/create.ts';
import { endpoint as purgeGet } from './purge/get.ts';
import { endpoint as purgeList } from './purge/list.ts';
import { endpoint as ruleCreate } from './rule/create.ts';
import { endpoint as ruleDelete } from './rule/delete.ts';
import { endpoint as ruleGet } from './rule/get.ts';
import { endpoint as ruleList } from './rule/list.ts';
import { endpoint as ruleTest } from './rule/test.ts';
import { endpoint as ruleUpdate } from './rule/update.ts';
import { endpoint as statisticsAccount } from './statistics/account.ts';
import { endpoint as statisticsProperty } from './statistics/property.ts';
import { endpoint as ticketCreate } from './ticket/create.ts';
import { endpoint as ticketGet } from './ticket/get.ts';
import { endpoint as ticketList } from './ticket/list.ts';
import { endpoint as ticketUpdate } from './ticket/update.ts';
import { endpoint as ticketMessageCreate } from './ticket-message/create.ts';
import { endpoint as ticketMessageList } from './ticket-message/list.ts';

/** Every endpoint, by the file that declares and handles it. The file's name makes the function's name. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  'auth/login': authLogin,
  'auth/two-factor-verify': authTwoFactorVerify,
  'auth/two-factor-setup': authTwoFactorSetup,
  'auth/two-factor-enable': authTwoFactorEnable,
  'auth/two-factor-recovery-codes': authTwoFactorRecoveryCodes,
  'auth/two-factor-disable': authTwoFactorDisable,
  'auth/password': authPassword,
  'auth/logout': authLogout,
  'account/get': accountGet,
  'api-key/create': apiKeyCreate,
  'api-key/list': apiKeyList,
  'api-key/revoke': apiKeyRevoke,
  'property/create': propertyCreate,
  'property/list': propertyList,
  'property/get': propertyGet,
  'property/update': propertyUpdate,
  'property/delete': propertyDelete,
  'property/deployment': propertyDeployment,
  'rule/create': ruleCreate,
  'rule/list': ruleList,
  'rule/get': ruleGet,
  'rule/update': ruleUpdate,
  'rule/delete': ruleDelete,
  'rule/test': ruleTest,
  'purge/create': purgeCreate,
  'purge/list': purgeList,
  'purge/get': purgeGet,
  'statistics/account': statisticsAccount,
  'statistics/property': statisticsProperty,
  'edge-config/get': edgeConfigGet,
  'edge-log/create': edgeLogCreate,
  'ticket/create': ticketCreate,
  'ticket/list': ticketList,
  'ticket/get': ticketGet,
  'ticket/update': ticketUpdate,
  'ticket-message/create': ticketMessageCreate,
  'ticket-message/list': ticketMessageList,
};
