import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { authenticate, authenticateTouches } from '../shared/auth/authenticate.ts';
import { ApiError } from '../shared/ground/api-error.ts';
import type { FunctionDeclaration } from '../shared/ground/function.ts';
import { log } from '../shared/ground/log.ts';

export const declaration: FunctionDeclaration = { timeoutSeconds: 10, touches: authenticateTouches };

/** Who calls. A refusal is a Deny with the message in the context, from which the gateway makes the 401. */
export async function handler(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  try {
    const caller = await authenticate(event.multiValueHeaders);
    return result('Allow', event, caller.accountId, { ...caller });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthenticated') {
      return result('Deny', event, 'nobody', { message: error.message });
    }
    log('error', 'authentication failed', { requestId: event.requestContext.requestId, error });
    throw error;
  }
}

function result(
  Effect: 'Allow' | 'Deny',
  event: APIGatewayRequestAuthorizerEvent,
  principalId: string,
  context: Record<string, string>,
): APIGatewayAuthorizerResult {
  return {
    principalId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect, Resource: event.methodArn }],
    },
    context,
  };
}
