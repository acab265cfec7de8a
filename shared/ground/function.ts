import type { QueueName, Touches } from './resources.ts';

/** What the stack must know of a function that is not an endpoint. */
export interface FunctionDeclaration {
  readonly timeoutSeconds: number;
  readonly touches: Touches;
  /** The queue whose messages it is given. */
  readonly consumes?: QueueName;
  /** Whether it is also called every minute, with nothing in hand. */
  readonly everyMinute?: true;
  /** True for the one function that hands requests on to the endpoints' functions. */
  readonly invokesEndpoints?: true;
  /** Whether it opens connections to edges, and so belongs into the deployment's network where it names one. */
  readonly reachesEdges?: true;
  /** Path on which it responds to GET from anybody, outside the envelope. */
  readonly serves?: `/swagger${string}`;
}
