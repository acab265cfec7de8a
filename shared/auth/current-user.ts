import type { BearerCaller } from '../ground/caller.ts';
import { refuse } from './refusal.ts';
import type { User } from './user.ts';
import { getUser } from './user-table.ts';

/** The user who calls, as stored. @throws ApiError `unauthenticated` */
export async function requireUser({ username }: BearerCaller): Promise<User> {
  const user = await getUser(username);
  if (!user) throw refuse('tokenInvalid');
  return user;
}
