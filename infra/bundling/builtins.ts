import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

const names = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/**
 * Node's own modules, of which a bundle loads what it uses, each when the module that imports it is loaded. An ESM import
 * of node:http loads undici too, 16 ms of every cold start, and a CommonJS one is copied name by name.
 */
export const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) =>
      names.has(path)
        ? {
            path,
            namespace: kind === 'import-statement' ? 'builtin' : 'builtin-on-demand',
            sideEffects: false,
          }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: moduleOf(path) }));
    onLoad({ filter: /.*/, namespace: 'builtin-on-demand' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};

/** Each export stands alone, so that esbuild keeps those that are imported. */
function moduleOf(path: string): string {
  const exported = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== 'default');
  return [
    `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`,
    'export default builtin;',
    ...exported.map((name, index) => `const export${index} = /* @__PURE__ */ (() => builtin.${name})();`),
    `export { ${exported.map((name, index) => `export${index} as ${name}`).join(', ')} };`,
  ].join('\n');
}
