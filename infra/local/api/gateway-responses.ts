import type { Template } from '../template/template.ts';

/** A response that the gateway makes itself. */
export interface GatewayResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export type GatewayResponseType =
  | 'ACCESS_DENIED'
  | 'AUTHORIZER_CONFIGURATION_ERROR'
  | 'AUTHORIZER_FAILURE'
  | 'DEFAULT_5XX'
  | 'INTEGRATION_TIMEOUT'
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'REQUEST_TOO_LARGE';

const ownStatus: Readonly<Record<GatewayResponseType, number>> = {
  ACCESS_DENIED: 403,
  AUTHORIZER_CONFIGURATION_ERROR: 500,
  AUTHORIZER_FAILURE: 500,
  DEFAULT_5XX: 502,
  INTEGRATION_TIMEOUT: 504,
  MISSING_AUTHENTICATION_TOKEN: 403,
  REQUEST_TOO_LARGE: 413,
};

const headerPrefix = 'gatewayresponse.header.';
const variable = /\$context\.([\w.]+)/g;

/** The template's gateway responses; its templates are plain substitution, as the gateway's are. */
export function gatewayResponses(template: Template) {
  const byType = new Map(
    template
      .ofType('AWS::ApiGateway::GatewayResponse')
      .map(([, { Properties }]) => [String(Properties.ResponseType), Properties]),
  );
  return (type: GatewayResponseType, context: Readonly<Record<string, string>>): GatewayResponse => {
    const properties = byType.get(type);
    if (!properties) throw new Error(`The template has no gateway response for ${type}`);
    const templates = properties.ResponseTemplates as Record<string, string>;
    const parameters = (properties.ResponseParameters ?? {}) as Record<string, string>;
    return {
      statusCode: Number(properties.StatusCode ?? ownStatus[type]),
      headers: {
        'Content-Type': 'application/json',
        ...Object.fromEntries(
          Object.entries(parameters).map(([name, expression]) => [
            name.slice(headerPrefix.length),
            headerValue(expression, context),
          ]),
        ),
      },
      body: (templates['application/json'] ?? '').replace(variable, (_, name: string) => context[name] ?? ''),
    };
  };
}

/** A static value stands in single quotes; anything else names a context variable. */
function headerValue(expression: string, context: Readonly<Record<string, string>>): string {
  if (expression.startsWith("'")) return expression.slice(1, -1);
  const value = context[expression.replace(/^context\./, '')];
  if (value === undefined) throw new Error(`The local run does not know the mapping ${expression}`);
  return value;
}
