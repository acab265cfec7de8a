/** What one function was used for. */
export interface FunctionUsage {
  readonly calls: number;
  /** Of a queue, in all its calls. */
  readonly messages: number;
  readonly memoryMegabytes: number;
}

/** What AWS bills, as it was counted. */
export interface Usage {
  readonly apiRequests: number;
  /** By the function's name without the stack's. */
  readonly functions: Readonly<Record<string, FunctionUsage>>;
  readonly edgeRequests: number;
  /** Lines of edges' logs. */
  readonly logLines: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  /** What stays in the tables, with what DynamoDB adds to each item. */
  readonly storedBytes: number;
  readonly sqsRequests: number;
  readonly kmsRequests: number;
  readonly secretRequests: number;
  readonly logBytes: number;
  /** Responses to clients and requests to edges. */
  readonly sentBytes: number;
  readonly invalidationPaths: number;
}

/** What is there all month, whether or not anybody calls. */
export interface Standing {
  readonly keys: number;
  readonly secrets: number;
  readonly alarmMetrics: number;
  readonly customMetrics: number;
  readonly dashboards: number;
  readonly eventSources: number;
}
