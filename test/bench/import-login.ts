import { importBenchmark } from './support/import-benchmark.ts';

export const benchmark = importBenchmark('auth-login', 0.6);
