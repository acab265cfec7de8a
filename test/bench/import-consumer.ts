import { importBenchmark } from './support/import-benchmark.ts';

export const benchmark = importBenchmark('purge-consumer', 0.6);
