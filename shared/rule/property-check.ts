import { tableName } from '../aws/dynamodb.ts';
import type { Refused, TransactionItems } from '../aws/transaction.ts';
import { ApiError } from '../ground/api-error.ts';
import { isId } from '../ground/id.ts';
import { propertyNotFound } from '../property/property.ts';

/** Goes first into every transaction, so that no rule is written to a property that is being deleted. */
export function propertyExists(accountId: string, propertyId: string): TransactionItems[number] {
  if (!isId(propertyId)) throw new ApiError('notFound', propertyNotFound);
  return {
    ConditionCheck: {
      TableName: tableName('properties'),
      Key: { accountId, id: propertyId },
      ConditionExpression: 'attribute_exists(id)',
    },
  };
}

/** @throws ApiError `notFound` when it was the check above that refused the transaction */
export function requireProperty({ failedConditions }: Refused): void {
  if (failedConditions.includes(0)) throw new ApiError('notFound', propertyNotFound);
}
