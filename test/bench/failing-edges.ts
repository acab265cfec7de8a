import { badEdgesBenchmark } from './support/bad-edges.ts';

export const benchmark = badEdgesBenchmark({
  bad: ['refusing', 'hanging', 'slow', 'error'],
  part: 0.95,
  goal: 1.25,
});
