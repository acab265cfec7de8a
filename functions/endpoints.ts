import type { Endpoint } from '../shared/http/endpoint.ts';
import { endpoint as accountGet } from './account/get.ts';
import { endpoint as propertyCreate } from './property/create.ts';
import { endpoint as propertyGet } from './property/get.ts';
import { endpoint as propertyList } from './property/list.ts';
import { endpoint as purgeCreate } from './purge/create.ts';
import { endpoint as purgeGet } from './purge/get.ts';
import { endpoint as purgeList } from './purge/list.ts';

/** Every endpoint, by the file that declares and handles it. The file's name makes the function's name. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  'account/get': accountGet,
  'property/create': propertyCreate,
  'property/list': propertyList,
  'property/get': propertyGet,
  'purge/create': purgeCreate,
  'purge/list': purgeList,
  'purge/get': purgeGet,
};
