import * as z from 'zod';
import { ApiError } from '../ground/api-error.ts';
import { exampleIds, examples, exampleTime } from '../http/examples.ts';
import { patchSchema } from '../http/patch-schema.ts';
import { SingleLine } from '../http/text.ts';
import { Time } from '../http/time.ts';
import { appliedByEdges } from '../property/applied-by-edges.ts';
import { Action } from './action.ts';
import { Condition } from './condition.ts';
import { conflicts } from './conflicts.ts';

export const maximumRules = 100;
export const highestPriority = 1_000_000;
const maximumBytes = 8 * 1024;

const priorityRange = `must be a whole number from 0 to ${highestPriority}`;

const Conditions = z
  .array(Condition, 'must be an array of conditions')
  .max(50, 'must hold at most 50 conditions')
  .describe(`When the rule matches; with no conditions always. ${appliedByEdges}`);

const Actions = z
  .array(Action, 'must be an array of actions')
  .min(1, 'must hold at least one action')
  .max(50, 'must hold at most 50 actions')
  .superRefine((actions, context) => {
    for (const { index, message } of conflicts(actions))
      context.addIssue({ code: 'custom', path: [index], message });
  })
  .describe(
    `What the rule does; no two actions may contradict each other. Of what several matching rules decide the later counts. ${appliedByEdges}`,
  );

const fields = {
  name: SingleLine.describe('Name of the rule, for people.'),
  enabled: z.boolean('must be true or false').describe('False leaves the rule out of every evaluation.'),
  priority: z.int(priorityRange).min(0, priorityRange).max(highestPriority, priorityRange),
  match: z
    .enum(['all', 'any'], 'must be all or any')
    .describe('Whether all conditions must hold, or any one of them.'),
  conditions: Conditions,
  actions: Actions,
  stop: z.boolean('must be true or false').describe('True ends the evaluation after this rule has matched.'),
} as const;

/** As the customer gives it. With its server-side bounds: 100 rules a property, 8 KB a rule. */
export const CreateRule = z
  .strictObject(
    {
      ...fields,
      enabled: fields.enabled.default(true),
      priority: fields.priority
        .optional()
        .describe(
          'Rules are evaluated low priority first. Without one the rule goes last: the last one’s + 10.',
        ),
      match: fields.match.default('all'),
      stop: fields.stop.default(false),
    },
    'must be a JSON object',
  )
  .meta({ id: 'CreateRule', description: `A new rule. ${appliedByEdges}` })
  .register(examples, {
    cache: {
      name: 'Long images',
      conditions: [{ field: 'path', operator: 'prefix', values: ['/images/'] }],
      actions: [{ type: 'cacheTtl', seconds: 86_400 }],
    },
    redirect: {
      name: 'Moved',
      priority: 5,
      match: 'any',
      conditions: [
        { field: 'path', operator: 'equals', values: ['/old'] },
        { field: 'query', name: 'page', operator: 'exists', negate: true },
      ],
      actions: [{ type: 'redirect', location: '/new', status: 301 }],
      stop: true,
    },
  });
export type CreateRule = z.output<typeof CreateRule>;

export const UpdateRule = patchSchema(CreateRule)
  .meta({
    id: 'UpdateRule',
    description: `A merge patch: what is left out stays, arrays are replaced, null sets a field back. ${appliedByEdges}`,
  })
  .register(examples, { disable: { enabled: false } });

/** What a customer sees of a rule. */
export const Rule = z
  .object({
    id: z.string().describe('Id of the rule.'),
    ...fields,
    priority: fields.priority.describe('Rules are evaluated low priority first, then in order of id.'),
    version: z.int().describe('Rises by one with every change. Send it in If-Match.'),
    createdAt: Time.describe('When it was made.'),
    updatedAt: Time.describe('When it last changed.'),
  })
  .meta({ id: 'Rule', description: `What edges do with some requests of a property. ${appliedByEdges}` })
  .register(examples, {
    rule: {
      id: exampleIds.rule,
      name: 'Long images',
      enabled: true,
      priority: 10,
      match: 'all',
      conditions: [{ field: 'path', operator: 'prefix', values: ['/images/'] }],
      actions: [{ type: 'cacheTtl', seconds: 86_400 }],
      stop: false,
      version: 1,
      createdAt: exampleTime,
      updatedAt: exampleTime,
    },
  });
export type Rule = z.output<typeof Rule>;

/** The part of a rule that its customer decides on. */
export type RuleSettings = Omit<Rule, 'id' | 'version' | 'createdAt' | 'updatedAt'>;

/** Of evaluation: low priority first, then in order of id. */
export function inOrder(a: Rule, b: Rule): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : 1);
}

/** As it is stored. @throws ApiError `invalid` above 8 KB */
export function settingsText(settings: RuleSettings): string {
  const text = JSON.stringify(settings);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maximumBytes) return text;
  throw new ApiError(
    'invalid',
    `Invalid request: the rule is ${bytes} bytes of JSON, and at most ${maximumBytes} are kept. Split it over several rules.`,
  );
}
