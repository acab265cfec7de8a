import type { Benchmark } from './support/benchmark.ts';
import { hitUnit, overTls } from './support/hit-benchmark.ts';

/** CPU of a hit over TLS by HTTP/1.1, on a connection that is kept, against plain HTTP. */
export const benchmark: Benchmark = { unit: hitUnit, goal: 1.3, run: () => overTls('http/1.1') };
