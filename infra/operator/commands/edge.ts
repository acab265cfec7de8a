import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { backends, type EdgeDriverName } from '../../../shared/edge/backends.ts';
import { EdgeFailure } from '../../../shared/edge/driver.ts';
import { drivers } from '../../../shared/edge/drivers.ts';
import { type Edge, EdgeTier } from '../../../shared/edge/edge.ts';
import {
  addEdge,
  listEdgeItems,
  listEdges,
  type NewEdge,
  removeEdge,
} from '../../../shared/edge/edge-table.ts';
import { hashEdgeToken, newEdgeToken } from '../../../shared/edge/edge-token.ts';
import { isInternalHost } from '../../../shared/property/origin.ts';
import { type Command, FailedResult, type Flags, requireFlag, UsageError } from '../command.ts';

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

const parseId = (id: string): string => {
  if (idPattern.test(id)) return id;
  throw new UsageError('--id must be 1 to 63 letters, digits, dots, hyphens and underscores');
};

const parseUrl = (text: string): string => {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new UsageError('--url must be http://HOST:PORT or https://HOST:PORT');
  }
  if (url.protocol === 'http:' && !isInternalHost(url.hostname)) {
    throw new UsageError('--url must be https, but for an address inside your own network');
  }
  return url.origin;
};

const readSecret = (path: string): string => {
  const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (secret.length < 16 || secret.length > 1_024) {
    throw new UsageError('the secret in --secret-file must be 16 to 1024 characters long');
  }
  return secret;
};

const parseDriver = (name: string): EdgeDriverName => {
  if (Object.hasOwn(backends, name)) return name as EdgeDriverName;
  throw new UsageError(`--driver must be one of ${Object.keys(backends).join(', ')}`);
};

const parseEdge = (flags: Flags, secret: string): NewEdge => {
  const tier = EdgeTier.safeParse(flags.tier ?? 'edge');
  if (!tier.success) throw new UsageError(`--tier must be one of ${EdgeTier.options.join(', ')}`);
  const id = parseId(requireFlag(flags, 'id'));
  const driver = parseDriver(requireFlag(flags, 'driver'));
  return { id, driver, url: parseUrl(requireFlag(flags, 'url')), tier: tier.data, secret };
};

const check = async (edge: Edge) => {
  try {
    await drivers[edge.driver].check(edge);
    return { id: edge.id, ok: true, detail: 'the edge accepts our signature' };
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    return { id: edge.id, ok: false, detail: error.message };
  }
};

const checkAll = async (id: string | undefined) => {
  const edges = (await listEdges()).filter((edge) => id === undefined || edge.id === id);
  if (id !== undefined && edges.length === 0) throw new Error(`There is no edge ${id}.`);
  const results = await Promise.all(edges.map(check));
  const [only] = results;
  const printable = id !== undefined && only ? only : results;
  const failed = results.filter(({ ok }) => !ok);
  if (failed.length === 0) return printable;
  throw new FailedResult(
    printable,
    `Not usable: ${failed.map((edge) => `${edge.id} (${edge.detail})`).join(', ')}.`,
  );
};

export const edgeCommands: Readonly<Record<string, Command>> = {
  add: {
    summary: 'Register an edge; its log token, and a secret made for it, are shown this once',
    required: ['id', 'driver', 'url'],
    optional: ['tier', 'secret-file'],
    run: async (flags) => {
      const secretFile = flags['secret-file'];
      const secret =
        secretFile === undefined ? randomBytes(32).toString('base64url') : readSecret(secretFile);
      const edge = parseEdge(flags, secret);
      const token = newEdgeToken();
      await addEdge(edge, hashEdgeToken(token));
      const { id, driver, url, tier } = edge;
      return { id, driver, url, tier, token, ...(secretFile === undefined && { secret }) };
    },
  },
  list: {
    summary: 'List the registered edges',
    run: async () =>
      (await listEdgeItems()).map(({ id, driver, url, tier, createdAt }) => ({
        id,
        driver,
        url,
        tier,
        createdAt,
      })),
  },
  remove: {
    summary: 'Take an edge out of service',
    required: ['id'],
    run: async (flags) => {
      const id = requireFlag(flags, 'id');
      await removeEdge(id);
      return { id };
    },
  },
  check: {
    summary: 'Ask an edge, or all, whether they accept our signature',
    optional: ['id'],
    run: (flags) => checkAll(flags.id),
  },
};
