import type { Edit } from './source-tree.ts';

/** URLs below it are purged by messages of a form that the version before cannot read. */
export const newFormPath = '/new-form/';

/**
 * Stands for the version after this one, with what a release may change without a step between: what is stored, sent and
 * handed on has fields, a column and a status that this version does not know, and some messages have another form.
 */
export const nextVersion: readonly Edit[] = [
  {
    file: 'shared/purge/purge.ts',
    from: '  createdAt: z.string(),\n});\nexport type AcceptedPurge',
    to: "  createdAt: z.string(),\n  label: z.string().default(''),\n});\nexport type AcceptedPurge",
  },
  {
    file: 'shared/purge/accept-purge.ts',
    from: 'createdAt: operation.startedAt.toISOString(),',
    to: "createdAt: operation.startedAt.toISOString(), label: 'next',",
  },
  {
    file: 'shared/purge/purge-queue.ts',
    from: 'const message: PurgeMessage = { purge };',
    to: `const message = purge.values[0].startsWith('${newFormPath}') ? { purges: [purge] } : { purge };`,
  },
  {
    file: 'shared/purge/purge-queue.ts',
    from: 'z.object({ purge: AcceptedPurge });',
    to: 'z.preprocess(({ purge, purges }) => ({ purge: purge ?? purges[0] }), z.object({ purge: AcceptedPurge }));',
  },
  {
    file: 'shared/purge/progress.ts',
    from: '    edge.status,\n',
    to: "    edge.status === 'pending' ? 'asked' : edge.status,\n",
  },
  {
    file: 'shared/purge/progress.ts',
    from: '    edge.countedWork ?? null,\n',
    to: "    edge.countedWork ?? null,\n    'next',\n",
  },
  {
    file: 'shared/catch-up/catch-up-queue.ts',
    from: 'const message: CatchUpMessage = { edgeId };',
    to: "const message = { edgeId, reason: 'next' };",
  },
  {
    file: 'shared/delivery/invalidation-queue.ts',
    from: 'MessageBody: JSON.stringify(message),',
    to: "MessageBody: JSON.stringify({ ...message, label: 'next' }),",
  },
  {
    file: 'functions/authorizer.ts',
    from: '{ ...caller }',
    to: "{ ...caller, plan: 'next' }",
  },
];
