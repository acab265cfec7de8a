import { join } from 'node:path';
import { identify } from '../../infra/local/template/identities.ts';
import { Template } from '../../infra/local/template/template.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/** `action resource` of everything that a function's role allows, by the function's physical name. */
export type Grants = Pick<ReadonlyMap<string, ReadonlySet<string>>, 'get'>;

function list(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

export function grantsByFunction(assembly: string): Grants {
  const template = new Template(join(assembly, 'CdnManagement.template.json'), identify, {});
  const statements = new Map(
    template.ofType('AWS::IAM::Role').map(([id, { Properties }]) => {
      const policies = template.resolve(Properties.Policies ?? []) as {
        PolicyDocument: { Statement: Statement[] };
      }[];
      return [id, policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
  return new Map(
    template.ofType('AWS::Lambda::Function').map(([, { Properties }]) => {
      const role = (Properties.Role as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'][0];
      const pairs = (statements.get(role) ?? []).flatMap(({ Action, Resource }) =>
        list(Action).flatMap((action) => list(Resource).map((resource) => `${action} ${resource}`)),
      );
      return [template.resolveText(Properties.FunctionName), new Set(pairs)];
    }),
  );
}
