import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { withCors } from './cors.ts';
import { errorResponse } from './response.ts';

/** A response outside the envelope. */
interface FileResponse {
  readonly contentType: string;
  readonly content: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const keptSeconds = 300;

/** Makes the Lambda handler of a public file. @param find throws ApiError, which becomes a response in the envelope */
export function serveFile(find: (event: APIGatewayProxyEvent) => FileResponse) {
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    const { requestId } = event.requestContext;
    try {
      return withCors(event, fileResponse(find(event), requestId));
    } catch (error) {
      return withCors(event, errorResponse(error, requestId));
    }
  };
}

function fileResponse(
  { contentType, content, headers }: FileResponse,
  requestId: string,
): APIGatewayProxyResult {
  return {
    statusCode: 200,
    headers: {
      'Content-Type': contentType,
      'Cache-Control': `public, max-age=${keptSeconds}`,
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      ...headers,
    },
    body: content.toString('base64'),
    isBase64Encoded: true,
  };
}
