import { join } from 'node:path';
import type { Template, TemplateResource } from '../template/template.ts';
import type { LocalFunction } from './execution-environment.ts';

/** The template's functions with the code that would be uploaded. */
export function templateFunctions(
  template: Template,
  assembly: string,
  common: Readonly<Record<string, string>>,
): readonly LocalFunction[] {
  return template.ofType('AWS::Lambda::Function').map(([logicalId, resource]) => {
    const asset = resource.Metadata?.['aws:asset:path'];
    if (typeof asset !== 'string') throw new Error(`${logicalId} of the template has no asset path`);
    const name = template.resolveText(resource.Properties.FunctionName);
    return {
      name,
      directory: join(assembly, asset),
      handlerName: template.resolveText(resource.Properties.Handler),
      memoryMegabytes: Number(resource.Properties.MemorySize ?? 128),
      timeoutSeconds: Number(resource.Properties.Timeout ?? 3),
      environment: {
        ...common,
        AWS_ACCESS_KEY_ID: name,
        AWS_LAMBDA_FUNCTION_NAME: name,
        ...environmentOf(template, resource),
      },
    };
  });
}

function environmentOf(template: Template, { Properties }: TemplateResource): Record<string, string> {
  const { Variables = {} } = (template.resolve(Properties.Environment ?? {}) ?? {}) as {
    Variables?: Record<string, string>;
  };
  return Variables;
}
