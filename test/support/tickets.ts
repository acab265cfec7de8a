import { createApiKey } from '../../shared/account/account-api-key-table.ts';
import { createAccount } from '../../shared/account/account-table.ts';
import { newId } from '../../shared/ground/id.ts';
import { support } from '../../shared/ticket/ticket-message.ts';
import { addMessage } from '../../shared/ticket/ticket-message-table.ts';
import { ApiClient, type ApiResponse, type Sent } from './api-client.ts';
import type { TestRun } from './test-run.ts';

type Headers = NonNullable<Sent['headers']>;

/** An account of its own, so that its tickets are numbered from 1, and its key on the ticket endpoints. */
export interface TicketAccount {
  readonly accountId: string;
  readonly key: string;
  /** @param path what follows `/api/tickets`: `/ID/messages`, `?status=open` */
  call(method: string, path?: string, body?: Sent['body'], headers?: Headers): Promise<ApiResponse>;
  get(path?: string): Promise<ApiResponse>;
  post(body: object, path?: string): Promise<ApiResponse>;
}

export function ticketPath(accountId: string, path = ''): string {
  const [before = '', query] = path.split('?');
  return `/api/tickets${before}?accountId=${accountId}${query ? `&${query}` : ''}`;
}

export async function makeTicketAccount({ baseUrl }: TestRun): Promise<TicketAccount> {
  const { accountId } = await createAccount('Tickets');
  const { key } = await createApiKey(accountId, 'Tickets');
  const api = new ApiClient(baseUrl, key);
  const call: TicketAccount['call'] = (method, path, body, headers = []) =>
    api.send(ticketPath(accountId, path), {
      method,
      headers: [['X-API-Key', key], ...headers],
      ...(body !== undefined && { body }),
    });
  return {
    accountId,
    key,
    call,
    get: (path) => call('GET', path),
    post: (body, path) => call('POST', path, body),
  };
}

export function ticketInput(changes: object = {}) {
  return { subject: 'Slow', body: 'Why?', ...changes };
}

/** As the operator's command does it. */
export function replyAsSupport(accountId: string, ticketId: string, body = 'Because.') {
  return addMessage(accountId, ticketId, support, body, newId());
}
