import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What each file imports: paths from the project's root, and packages by name; types too. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

/**
 * The topics of `shared`, lowest first: a topic imports only what stands before it. Those of one line stand side
 * by side and never import each other.
 */
const topicOrder: readonly (readonly string[])[] = [
  ['ground'],
  ['aws'],
  ['http'],
  ['auth'],
  ['account'],
  ['property'],
  ['rule'],
  ['edge'],
  ['purge', 'statistics', 'ticket', 'edge-config'],
  ['delivery'],
  ['invalidation'],
  ['catch-up'],
];

const importPattern = /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'/g;

export function readImports(folders: readonly string[]): ImportGraph {
  return new Map(
    folders
      .flatMap((folder) => globSync(`${folder}/**/*.ts`))
      .map((file) => [
        file,
        [...readFileSync(file, 'utf8').matchAll(importPattern)].map(([, specifier = '']) =>
          specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier,
        ),
      ]),
  );
}

/** Imports within `shared` that go up, or to a topic beside. */
export function againstOrder(graph: ImportGraph): readonly string[] {
  return [...graph].flatMap(([file, imported]) =>
    imported
      .filter((path) => isShared(file) && isShared(path))
      .filter((path) => topicOf(path) !== topicOf(file) && rankOf(path) >= rankOf(file))
      .map((path) => `${file} imports ${path}`),
  );
}

/** Files that import each other, directly or through others: one circle of each knot. */
export function fileCircles(graph: ImportGraph): readonly string[] {
  return circles(graph);
}

/** Folders whose files import each other, whatever the files. */
export function folderCircles(graph: ImportGraph): readonly string[] {
  const folders = new Map<string, string[]>();
  for (const [file, imported] of graph) {
    const others = imported.filter((path) => graph.has(path)).map(dirname);
    folders.set(dirname(file), [
      ...(folders.get(dirname(file)) ?? []),
      ...others.filter((folder) => folder !== dirname(file)),
    ]);
  }
  return circles(folders);
}

function isShared(path: string): boolean {
  return path.startsWith('shared/');
}

function topicOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function rankOf(path: string): number {
  const rank = topicOrder.findIndex((topics) => topics.includes(topicOf(path)));
  if (rank < 0) throw new Error(`${path} belongs to no topic of the order`);
  return rank;
}

function circles(graph: ImportGraph): readonly string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) {
      found.push([...path.slice(path.indexOf(node)), node].join(' → '));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) if (graph.has(next)) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}
