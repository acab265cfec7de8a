import { join } from 'node:path';
import type { LocalFunction } from '../../../infra/local/lambda/execution-environment.ts';
import { templateFunctions } from '../../../infra/local/lambda/template-functions.ts';
import { identify } from '../../../infra/local/template/identities.ts';
import { Template } from '../../../infra/local/template/template.ts';
import { type Grants, grantsByFunction } from '../grants.ts';

export type Version = 'old' | 'new';

/** One version of the service, as its template has it, by the functions' physical names. */
interface Released {
  readonly functions: ReadonlyMap<string, LocalFunction>;
  readonly grants: Grants;
}

/** What an invocation is served by. */
interface Serving {
  readonly code: Version;
  /** With one version's code, and one's variables. */
  readonly source: LocalFunction;
}

/** How long the update of one function takes, as a part of the whole. */
const updateLength = 0.4;

/**
 * From one version to the other, and back, function by function, as CloudFormation does it: a function's role and
 * variables are the new ones first, then some of its environments run the new code, in the end all.
 */
export class Rollout {
  /** 0 before the first function is updated, 1 after the last. */
  progress = 0;
  private target: Version = 'new';
  private readonly versions: Readonly<Record<Version, Released>>;
  private readonly names: readonly string[];
  private readonly invocations = new Map<string, number>();

  /**
   * @param assemblies of the versions
   * @param first name of the function that is updated first
   */
  constructor(assemblies: Readonly<Record<Version, string>>, first: string, last: string) {
    this.versions = { old: released(assemblies.old), new: released(assemblies.new) };
    const others = [...this.versions.new.functions.keys()].filter((name) => name !== first && name !== last);
    this.names = [first, ...others, last];
  }

  begin(target: Version): void {
    this.target = target;
    this.progress = 0;
  }

  /**
   * Serves the next invocation of a function.
   * @param local has the run's own end points, which no template names
   */
  serve(local: LocalFunction): Serving {
    const { name, environment } = local;
    const count = (this.invocations.get(name) ?? 0) + 1;
    this.invocations.set(name, count);
    const done = this.doneOf(name);
    const code = done >= 1 || (done > 0 && count % 2 === 0) ? this.target : this.origin;
    const endpoints = Object.entries(environment).filter(([variable]) => variable.startsWith('AWS_'));
    const variables = {
      ...this.find(name, this.configurationOf(name)).environment,
      ...Object.fromEntries(endpoints),
    };
    return { code, source: { ...this.find(name, code), environment: variables } };
  }

  /** What the function's role allows now. */
  grantsOf(name: string): ReadonlySet<string> | undefined {
    return this.versions[this.configurationOf(name)].grants.get(name) ?? this.versions.new.grants.get(name);
  }

  private get origin(): Version {
    return this.target === 'new' ? 'old' : 'new';
  }

  private configurationOf(name: string): Version {
    return this.doneOf(name) > 0 ? this.target : this.origin;
  }

  /** How far the function's update is: over at 1. */
  private doneOf(name: string): number {
    const begin = (this.names.indexOf(name) / (this.names.length - 1)) * (1 - updateLength);
    return (this.progress - begin) / updateLength;
  }

  /** The new version's where the old one does not have the function. */
  private find(name: string, version: Version): LocalFunction {
    const found = this.versions[version].functions.get(name) ?? this.versions.new.functions.get(name);
    if (!found) throw new Error(`Neither version has a function ${name}`);
    return found;
  }
}

function released(assembly: string): Released {
  const template = new Template(join(assembly, 'CdnManagement.template.json'), identify, {
    AllowPrivateOrigins: 'true',
  });
  const functions = templateFunctions(template, assembly, {});
  return {
    functions: new Map(functions.map((each) => [each.name, each])),
    grants: grantsByFunction(assembly),
  };
}
