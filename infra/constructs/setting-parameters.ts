import { CfnParameter } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { type SettingName, settings } from '../../shared/resources.ts';

/** A template parameter for each setting; the first allowed value is the default. */
export class SettingParameters extends Construct {
  private readonly byName = new Map<SettingName, CfnParameter>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of Object.keys(settings) as SettingName[]) {
      const { parameter, description, allowed } = settings[name];
      const declared = new CfnParameter(this, parameter, {
        description,
        allowedValues: [...allowed],
        default: allowed[0],
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
