import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const describing = 'The API is described when it is built.';
const streams = 'Nothing that is called streams events.';
const native = 'Node has it built in.';
const forms = 'Edges are sent text.';

/** Files and folders that no function ever uses, whose packages load them nevertheless, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'zod/v4/core/to-json-schema.js': describing,
  'zod/v4/core/json-schema-processors.js': describing,
  '@smithy/core/dist-es/submodules/event-streams/EventStreamSerde.js': streams,
  '@smithy/core/dist-es/submodules/event-streams/eventstream-codec/': streams,
  '@smithy/core/dist-es/submodules/event-streams/eventstream-serde/': streams,
  '@smithy/core/dist-es/submodules/event-streams/eventstream-serde-universal/': streams,
  '@smithy/signature-v4/dist-es/HeaderFormatter.js': streams,
  '@smithy/core/dist-es/submodules/checksum/md5/Md5Js.js': native,
  '@smithy/core/dist-es/submodules/checksum/sha256/Sha256Js.js': native,
  '@smithy/core/dist-es/submodules/retry/util-retry/AdaptiveRetryStrategy.js':
    'The standard strategy retries.',
  '@smithy/core/dist-es/submodules/config/config-resolver/regionConfig/getInstanceMetadataRegion.js':
    'Lambda tells the region in the environment.',
  '@smithy/core/dist-es/submodules/endpoints/middleware-endpoint/service-customizations/s3.js':
    'Nothing is kept in S3.',
  '@aws-sdk/endpoint-cache/dist-es/EndpointCache.js': 'No operation has to discover its end point.',
  'undici/lib/web/': forms,
  'undici/lib/llhttp/llhttp-wasm.js': 'Lambda’s processors have the instructions of the faster one.',
};

const unusable = join(import.meta.dirname, 'stand-ins', 'unusable.ts');

/** Keeps no more than the names of what is left out, so that whoever uses it after all learns why that fails. */
export const leavesOut: Plugin = {
  name: 'leaves-out',
  setup({ onLoad }) {
    for (const path of Object.keys(leftOut))
      onLoad({ filter: filterOf(path) }, async (file) => ({
        contents: namesOnly(path, await exportsOf(file.path)),
      }));
  },
};

/** @param path of a file, or of a folder with a slash at its end, below `node_modules` */
export function filterOf(path: string): RegExp {
  return new RegExp(`/node_modules/${path.replaceAll('.', '\\.')}${path.endsWith('/') ? '' : '$'}`);
}

async function exportsOf(path: string): Promise<readonly string[]> {
  const { metafile } = await build({ entryPoints: [path], outdir: '.', write: false, metafile: true });
  return Object.values(metafile.outputs).flatMap(({ exports }) => exports);
}

/** @param names of an ES module's exports; a CommonJS module has none, and fails where it is required */
function namesOnly(path: string, names: readonly string[]): string {
  if (names.length === 0) return `throw new Error(${JSON.stringify(`${path} is left out of the bundles`)});`;
  return [
    `import { unusable } from ${JSON.stringify(unusable)};`,
    ...names.map((name) => `function the_${name}() { return unusable('${name}'); }`),
    `export { ${names.map((name) => `the_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}
