import { badEdgesBenchmark } from './support/bad-edges.ts';

export const benchmark = badEdgesBenchmark({ bad: ['hanging'], part: 0.5, goal: 1.2 });
