import { lastEdgeBenchmark } from './support/last-edge.ts';

export const benchmark = lastEdgeBenchmark({ edgeCount: 1_000, rounds: 40, goal: 1.2 });
