import { readFileSync } from 'node:fs';

export interface TemplateResource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

interface TemplateFile {
  readonly Resources: Readonly<Record<string, Partial<TemplateResource> & { readonly Type: string }>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: string }>>;
}

/** What `Ref` and `Fn::GetAtt` give for a resource on this machine. */
export interface LocalIdentity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

type Identify = (logicalId: string, resource: TemplateResource) => LocalIdentity | undefined;

export const region = 'us-east-1';
export const awsAccountId = '000000000000';

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::Region': region,
  'AWS::AccountId': awsAccountId,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** A synthesized template with its references resolved for this machine; refuses what it does not know. */
export class Template {
  private readonly file: TemplateFile;
  private readonly identify: Identify;
  private readonly parameters: Readonly<Record<string, string>>;

  constructor(path: string, identify: Identify, parameters: Readonly<Record<string, string>>) {
    this.file = JSON.parse(readFileSync(path, 'utf8')) as TemplateFile;
    this.identify = identify;
    this.parameters = parameters;
  }

  get types(): readonly string[] {
    return [...new Set(Object.values(this.file.Resources).map(({ Type }) => Type))];
  }

  /** Resources of a type by logical id, as written: resolve what is needed of them. */
  ofType(type: string): readonly (readonly [logicalId: string, resource: TemplateResource])[] {
    return Object.entries(this.file.Resources).flatMap(([id, resource]) =>
      resource.Type === type ? [[id, { Properties: {}, ...resource }] as const] : [],
    );
  }

  /** @throws Error naming a function or a reference that the local run does not know */
  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (!isObject(value)) return value;
    const [name, ...others] = Object.keys(value);
    if (name !== undefined && others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
      return this.call(name, value[name]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.resolve(item)]));
  }

  resolveText(value: unknown): string {
    const resolved = this.resolve(value);
    if (typeof resolved !== 'string') throw new Error(`${JSON.stringify(value)} is not text in the template`);
    return resolved;
  }

  private call(name: string, argument: unknown): unknown {
    switch (name) {
      case 'Ref':
        return this.reference(String(argument));
      case 'Fn::GetAtt':
        return this.attribute(argument);
      case 'Fn::Join':
        return this.join(this.resolve(argument));
      case 'Fn::Select':
        return this.select(this.resolve(argument));
      case 'Fn::Split':
        return this.split(this.resolve(argument));
      default:
        throw new Error(`The local run does not know ${name} of the template`);
    }
  }

  private reference(id: string): string {
    const known = pseudoParameters[id] ?? this.parameters[id] ?? this.file.Parameters?.[id]?.Default;
    return known ?? this.identity(id).ref;
  }

  private attribute(argument: unknown): string {
    const [id, name] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
    const value = this.identity(id ?? '').attributes[name ?? ''];
    if (value === undefined) throw new Error(`The local run does not know ${id}.${name} of the template`);
    return value;
  }

  private identity(id: string): LocalIdentity {
    const resource = this.file.Resources[id];
    const identity = resource && this.identify(id, { Properties: {}, ...resource });
    if (!identity) throw new Error(`The local run does not know what ${id} of the template refers to`);
    return identity;
  }

  private join(argument: unknown): string {
    const [separator, parts] = argument as [string, string[]];
    return parts.join(separator);
  }

  private select(argument: unknown): unknown {
    const [index, list] = argument as [number | string, unknown[]];
    return list[Number(index)];
  }

  private split(argument: unknown): string[] {
    const [separator, text] = argument as [string, string];
    return text.split(separator);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
