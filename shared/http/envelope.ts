import type { Page } from './page.ts';

/** Source: the specification's "Response envelope". */
export interface Envelope {
  readonly succeeded: boolean;
  readonly message: string;
  readonly data: object | null;
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly totalRecords: number;
}

const noPage = { pageNumber: 0, pageSize: 0, totalPages: 0, totalRecords: 0 } as const;

export function success(data: object): Envelope {
  return { succeeded: true, message: '', data, ...noPage };
}

export function pageSuccess({ items, pageNumber, pageSize, totalRecords }: Page<unknown>): Envelope {
  return {
    succeeded: true,
    message: '',
    data: { items },
    pageNumber,
    pageSize,
    totalPages: Math.ceil(totalRecords / pageSize),
    totalRecords,
  };
}

export function failure(message: string): Envelope {
  return {
    succeeded: false,
    message,
    data: null,
    ...noPage,
  };
}
