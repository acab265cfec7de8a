import { importBenchmark } from './support/import-benchmark.ts';

export const benchmark = importBenchmark('purge-create', 0.58);
