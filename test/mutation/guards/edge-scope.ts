import type { Guard } from '../guard.ts';

const scopeTest = 'test/functions/edge-scope.test.ts';
const edgeTable = 'shared/edge/edge-table.ts';

/** That an edge with a scope has to do with what is in it, and misses none of that. */
export const edgeScope: readonly Guard[] = [
  {
    name: 'an edge gets the purges of its scope only',
    file: 'shared/edge/registry.ts',
    edits: [
      [
        'isInService(edge) && isInScope(scopeOf(edge), owner)',
        '(isInService(edge) || isInScope(scopeOf(edge), owner))',
      ],
    ],
    test: scopeTest,
    only: 'while it lags',
  },
  {
    name: 'a purge is refused for the sake of edges with its property in their scope only',
    file: 'shared/edge/edge-kinds.ts',
    edits: [
      [
        'import { type Registry, readRegistry, readRegistryTouches }',
        'import { allEdges, type Registry, readRegistry, readRegistryTouches }',
      ],
      [
        'return (await remembered.registry).edgesOf(owner);',
        'return (await (await remembered.registry).edgesOf(owner)) && allEdges();',
      ],
    ],
    test: 'test/functions/purge/capability-check.test.ts',
    only: 'of another account',
  },
  {
    name: 'an edge says nothing of hosts outside its scope',
    file: 'shared/statistics/ingest.ts',
    edits: [['isInScope(scope, owner)', '(scope !== undefined || isInScope(scope, owner))']],
    test: 'test/functions/statistics/ingest.test.ts',
    only: 'outside the edge’s scope',
  },
  {
    name: 'an asynchronous edge is asked, and billed, for what is in its scope only',
    file: 'shared/invalidation/invalidate.ts',
    edits: [
      [
        'isInService(item) && isInScope(scopeOf(item), first)',
        '(isInService(item) || isInScope(scopeOf(item), first))',
      ],
    ],
    test: 'test/functions/invalidation.test.ts',
    only: 'whose scope the property has left',
  },
  {
    name: 'a purge waits for no edge whose scope its property has left',
    file: 'shared/catch-up/catch-up.ts',
    edits: [['if (!isEverybody(edge.scope)) await', 'if (isEverybody(edge.scope)) await']],
    test: scopeTest,
    only: 'while it lags',
  },
  {
    name: 'a change of scope hides the edge from no purge that reads the index meanwhile',
    file: edgeTable,
    edits: [
      [
        'const formerTerms = difference(scopeTermsAt(registry, scopeOf(before)), put);',
        'const formerTerms = difference(put, put);',
      ],
    ],
    test: scopeTest,
    only: 'while a purge looks for it',
  },
  {
    name: 'an id is of one edge, for everybody or with a scope',
    file: edgeTable,
    edits: [['condition, index, [nowhereElse]);', 'condition, index, nowhereElse ? [] : []);']],
    test: scopeTest,
    only: 'of one id at once',
  },
  {
    name: 'what an asynchronous edge began is billed once',
    file: 'shared/delivery/merge-progress.ts',
    edits: [['if (counted.includes(handle)) return begun;', 'if (counted.at(-1) === handle) return begun;']],
    test: 'test/functions/invalidation.test.ts',
    only: 'is billed once',
  },
  {
    name: 'an edge is given the configuration of its scope alone',
    file: 'shared/edge-config/config-page.ts',
    edits: [
      [
        'isInScope(scope, { accountId, propertyId: id }) &&',
        "(isInScope(scope, { accountId, propertyId: id }) || id !== '') &&",
      ],
    ],
    test: 'test/functions/edge-config.test.ts',
    only: 'a token sees its scope and nothing else',
  },
  {
    name: 'a cursor is of one scope',
    file: 'shared/edge-config/cursor.ts',
    edits: [['cursor.scope === digestOf(scope) &&', 'cursor.scope.length === digestOf(scope).length &&']],
    test: 'test/functions/edge-config.test.ts',
    only: 'a cursor that is none, of another scope',
  },
  {
    name: 'what an edge says that it runs is of its scope',
    file: 'shared/edge-config/deployment-table.ts',
    edits: [
      [
        '!isInScope(edge.scope, { accountId: change.accountId, propertyId })',
        "(propertyId === '' && !isInScope(edge.scope, { accountId: change.accountId, propertyId }))",
      ],
    ],
    test: 'test/functions/edge-config.test.ts',
    only: 'what an edge reports of what is not in its scope',
  },
];
