import { accountCommands } from './account.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { edgeCommands } from './edge.ts';
import { keyCommands } from './key.ts';
import { propertyCommands } from './property.ts';
import { protect } from './protect.ts';
import { purgeCommands } from './purge.ts';
import { signingKeyCommands } from './signing-key.ts';
import { status } from './status.ts';
import { ticketCommands } from './ticket.ts';
import { userCommands } from './user.ts';

/** Every command by its name: a noun and a verb, or one word. */
export const commands: Readonly<Record<string, Command>> = {
  status,
  protect,
  doctor,
  ...named('account', accountCommands),
  ...named('user', userCommands),
  ...named('key', keyCommands),
  ...named('edge', edgeCommands),
  ...named('property', propertyCommands),
  ...named('purge', purgeCommands),
  ...named('ticket', ticketCommands),
  ...named('signing-key', signingKeyCommands),
};

function named(noun: string, verbs: Readonly<Record<string, Command>>): Readonly<Record<string, Command>> {
  return Object.fromEntries(Object.entries(verbs).map(([verb, command]) => [`${noun} ${verb}`, command]));
}
