import { importBenchmark } from './support/import-benchmark.ts';

export const benchmark = importBenchmark('property-list', 0.6);
