import type { Benchmark } from './support/benchmark.ts';
import { hitUnit, overTls } from './support/hit-benchmark.ts';

/** CPU of a hit over TLS by HTTP/2, on a connection that is kept, against plain HTTP by HTTP/1.1. */
export const benchmark: Benchmark = { unit: hitUnit, goal: 1.6, run: () => overTls('h2') };
