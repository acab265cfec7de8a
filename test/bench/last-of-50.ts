import { lastEdgeBenchmark } from './support/last-edge.ts';

export const benchmark = lastEdgeBenchmark({ edgeCount: 50, rounds: 200, goal: 1.1 });
