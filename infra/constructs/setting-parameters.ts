import { CfnParameter } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { namesOf } from '../../shared/ground/names.ts';
import { type SettingName, settings } from '../../shared/ground/resources.ts';

/** A template parameter for each setting. */
export class SettingParameters extends Construct {
  private readonly byName = new Map<SettingName, CfnParameter>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of namesOf(settings)) {
      const { parameter, description, pattern, default: fallback } = settings[name];
      const declared = new CfnParameter(this, parameter, {
        description,
        allowedPattern: pattern,
        default: fallback,
      });
      declared.overrideLogicalId(parameter);
      this.byName.set(name, declared);
    }
  }

  get(name: SettingName): string {
    const parameter = this.byName.get(name);
    if (!parameter) throw new Error(`There is no setting ${name}`);
    return parameter.valueAsString;
  }
}
