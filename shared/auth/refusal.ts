import { ApiError } from '../ground/api-error.ts';
import { authenticationMessages } from '../ground/messages.ts';

export function refuse(refusal: keyof typeof authenticationMessages): ApiError {
  return new ApiError('unauthenticated', authenticationMessages[refusal]);
}
