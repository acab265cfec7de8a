import { ApiClient } from '../../support/api-client.ts';
import { makeEdge, makeSite, removeMadeEdges, sendLines, varnishLine } from '../../support/edge-log.ts';
import type { CostRun } from '../cost-run.ts';
import { type Measured, measure } from '../measure.ts';

const siteCount = 10;
const batches = 8;
/** What a busy edge sends at a time, and what one sends that has few visitors in ten seconds: see infra/edge/shipping. */
const busyBytes = 1024 * 1024;
const quietLines = 100;

/** Lines of the log of one edge that serves ten properties, as it sends them. */
export async function measureLogLines(run: CostRun): Promise<readonly Measured[]> {
  const api = new ApiClient(run.baseUrl, run.apiKey);
  const hosts: string[] = [];
  while (hosts.length < siteCount) hosts.push((await makeSite(api)).host);
  const token = await makeEdge('log-edge');
  const line = (index: number): string =>
    varnishLine({ host: hosts[index % siteCount] ?? '', handling: index % 8 ? 'hit' : 'miss' });
  const inBatches = async (name: string, lines: number): Promise<Measured> => {
    const ship = async (batch: string): Promise<void> => {
      const text = Array.from({ length: lines }, (_, index) => line(index));
      const { data } = await sendLines(api, token, text, { key: `${lines}-${batch}`, gzip: true });
      if (data.accepted !== lines) throw new Error(`Of ${lines} lines ${data.accepted} were accepted`);
    };
    return measure(run, {
      name,
      count: lines * batches,
      logLines: lines * batches,
      before: () => ship('warm-up'),
      work: async () => {
        for (let batch = 0; batch < batches; batch += 1) await ship(String(batch));
      },
    });
  };
  const rows = [
    await inBatches('log lines of a busy edge', Math.ceil(busyBytes / line(0).length)),
    await inBatches('log lines of a quiet edge', quietLines),
  ];
  await removeMadeEdges();
  return rows;
}
