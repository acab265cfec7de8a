import { importBenchmark } from './support/import-benchmark.ts';

export const benchmark = importBenchmark('authorizer', 0.55);
