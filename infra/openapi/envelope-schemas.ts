import type { Envelope } from '../../shared/http/envelope.ts';
import type { Schema } from './openapi.ts';

const properties: Readonly<Record<keyof Envelope, Schema>> = {
  succeeded: { type: 'boolean', description: 'True for every status below 400.' },
  message: { type: 'string', description: 'Empty on success, else a sentence that says what to fix.' },
  data: { description: 'What was asked for; null on failure.' },
  pageNumber: count('Number of this page, from 1.'),
  pageSize: count('How many records a page holds.'),
  totalPages: count('How many pages there are.'),
  totalRecords: count('How many records there are on all pages.'),
};

/** What every response is wrapped in. */
export const envelopeSchemas: Readonly<Record<string, Schema>> = {
  Envelope: {
    type: 'object',
    description: 'What every response is wrapped in, success or failure.',
    required: Object.keys(properties),
    properties,
  },
  Failure: {
    description: 'A response of status 400 or above.',
    allOf: [
      { $ref: '#/components/schemas/Envelope' },
      {
        type: 'object',
        properties: {
          succeeded: { type: 'boolean', enum: [false], description: 'Always false.' },
          data: { type: 'object', nullable: true, enum: [null], description: 'Always null.' },
        },
      },
    ],
  },
};

function count(description: string): Schema {
  return {
    type: 'integer',
    minimum: 0,
    description: `${description} 0 where the response is no list.`,
  };
}
