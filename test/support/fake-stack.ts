import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { listen } from '../../infra/local/host/listen.ts';
import { identify } from '../../infra/local/template/identities.ts';
import { Template } from '../../infra/local/template/template.ts';

interface LoggingConfig {
  readonly LogFormat: string;
  readonly LogGroup: string;
}

interface MetricFilter {
  readonly LogGroupName: string;
  readonly FilterPattern: string;
}

type Input = Readonly<Record<string, unknown>>;

const equalityPattern = /^\{ \$\.([\w.]+) = "([^"]*)" \}$/;

/** Of the filter patterns only what the stack has: a field that equals a text. */
function isFound(pattern: string, line: string): boolean {
  const [, path, wanted] = equalityPattern.exec(pattern) ?? [];
  if (path === undefined) throw new Error(`the fake knows no pattern ${pattern}`);
  let value: unknown = JSON.parse(line);
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name];
  return value === wanted;
}

/**
 * What CloudFormation, CloudWatch Logs and Lambda say of a stack that was deployed from the synthesized template. Made
 * from AWS's API references, not recorded from AWS.
 */
export class FakeStack {
  readonly outputs = new Map<string, string>();
  readonly logGroups = new Set<string>();
  readonly loggingOf = new Map<string, LoggingConfig>();
  filters: MetricFilter[];
  /** What the functions have written, by log group. */
  lines: Readonly<Record<string, readonly string[]>> = {};
  unreservedConcurrency = 1_000;
  url = '';
  private readonly server = createServer((request, response) => {
    this.handle(request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });

  constructor() {
    const template = new Template(join(inject('assembly'), 'CdnManagement.template.json'), identify, {});
    const properties = <Type>(type: string): Type[] =>
      template.ofType(type).map(([, { Properties }]) => template.resolve(Properties) as Type);
    for (const { LogGroupName } of properties<MetricFilter>('AWS::Logs::LogGroup'))
      this.logGroups.add(LogGroupName);
    this.filters = properties<MetricFilter>('AWS::Logs::MetricFilter');
    for (const [, { Properties }] of template.ofType('AWS::Lambda::Function'))
      this.loggingOf.set(
        String(Properties.FunctionName),
        template.resolve(Properties.LoggingConfig) as LoggingConfig,
      );
  }

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listen(this.server, 0, 'the fake stack')}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const [, operation] = String(request.headers['x-amz-target'] ?? '').split('.');
    if (operation) {
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      response.end(JSON.stringify(this.logs(operation, JSON.parse(body))));
    } else if (body.includes('Action=DescribeStacks')) {
      response.setHeader('content-type', 'text/xml');
      response.end(this.stacks());
    } else {
      response.end(JSON.stringify(this.lambda(String(request.url))));
    }
  }

  private logs(operation: string, input: Input): object {
    switch (operation) {
      case 'DescribeLogGroups':
        return {
          logGroups: [...this.logGroups]
            .filter((name) => name.startsWith(String(input.logGroupNamePrefix)))
            .map((logGroupName) => ({ logGroupName })),
        };
      case 'DescribeMetricFilters':
        return {
          metricFilters: this.filters
            .filter(({ LogGroupName }) => LogGroupName === input.logGroupName)
            .map(({ FilterPattern: filterPattern }) => ({ filterPattern })),
        };
      case 'FilterLogEvents':
        return {
          events: (this.lines[String(input.logGroupName)] ?? []).map((message) => ({ message })),
        };
      case 'TestMetricFilter':
        return {
          matches: (input.logEventMessages as string[])
            .filter((line) => isFound(String(input.filterPattern), line))
            .map((eventMessage) => ({ eventMessage })),
        };
      default:
        throw new Error(`the fake does not know ${operation}`);
    }
  }

  private lambda(url: string): object {
    const [, name] = /^\/2015-03-31\/functions\/([^/]+)\/configuration$/.exec(url) ?? [];
    if (name) return { FunctionName: name, LoggingConfig: this.loggingOf.get(name) };
    if (!url.startsWith('/2016-08-19/account-settings')) throw new Error(`the fake does not know ${url}`);
    const UnreservedConcurrentExecutions = this.unreservedConcurrency;
    return { AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions } };
  }

  private stacks(): string {
    const outputs = [...this.outputs].map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>CdnManagement</StackName><CreationTime>2026-11-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${outputs.join('')}</Outputs></member></Stacks></DescribeStacksResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></DescribeStacksResponse>`;
  }
}
