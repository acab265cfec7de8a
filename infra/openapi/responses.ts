import { statusOf } from '../../shared/ground/api-error.ts';
import type { Endpoint } from '../../shared/http/endpoint.ts';
import { failure, pageSuccess, success } from '../../shared/http/envelope.ts';
import { isIdempotent } from '../../shared/http/idempotency.ts';
import type { DescribedEndpoint } from './described-endpoint.ts';
import { namedExamples } from './examples.ts';
import { type Failure, failuresOf } from './failures.ts';
import { headerReferences } from './headers.ts';
import type { ResponseObject, Schema } from './openapi.ts';

/** Every status with which the endpoint can respond. */
export function responsesOf(described: DescribedEndpoint): Readonly<Record<string, ResponseObject>> {
  return {
    [described.endpoint.created ? 201 : 200]: successResponse(described),
    ...Object.fromEntries(
      failuresOf(described).map((failed) => [statusOf[failed.code], failureResponse(described, failed)]),
    ),
  };
}

function successResponse({ endpoint, data, hasVersion }: DescribedEndpoint): ResponseObject {
  return {
    description: endpoint.created ? 'Created.' : 'Done.',
    headers: headerReferences({ ETag: hasVersion, 'Idempotent-Replay': isIdempotent(endpoint) }),
    content: {
      'application/json': {
        schema: withData(endpoint.list ? pageOf(data) : data),
        examples: namedExamples(endpoint.data, (value) => enveloped(endpoint, value)),
      },
    },
  };
}

function withData(data: Schema): Schema {
  return {
    allOf: [
      { $ref: '#/components/schemas/Envelope' },
      { type: 'object', required: ['data'], properties: { data } },
    ],
  };
}

function pageOf(item: Schema): Schema {
  return {
    type: 'object',
    description: 'One page of the list.',
    required: ['items'],
    properties: {
      items: { type: 'array', items: item, description: 'The records of this page, in the list’s order.' },
    },
  };
}

function enveloped({ list }: Endpoint, value: unknown): object {
  return list
    ? pageSuccess({ items: [value], pageNumber: 1, pageSize: 20, totalRecords: 1 })
    : success(value as object);
}

function failureResponse(
  { endpoint }: DescribedEndpoint,
  { code, description, message }: Failure,
): ResponseObject {
  return {
    description,
    headers: headerReferences({
      'Retry-After': code === 'unavailable' || (code === 'conflict' && isIdempotent(endpoint)),
    }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        examples: { failure: { value: failure(message) } },
      },
    },
  };
}
