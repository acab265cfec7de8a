import { importBenchmark } from './support/import-benchmark.ts';

export const benchmark = importBenchmark('fallback', 0.6);
