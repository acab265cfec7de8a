import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { failure } from './exit.mjs';

/** An ordinary user's PATH does not hold /usr/sbin on Debian. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'].filter(Boolean);

const packages = {
  varnishd: 'the packages varnish, varnish-modules and varnish-vmod-digest',
  nginx: 'the packages nginx, libnginx-mod-http-lua and lua-cjson',
  haproxy: 'the package haproxy',
  setpriv: 'the package util-linux',
  chrt: 'the package util-linux',
};

/** Where each program is; an environment variable of its name names another. */
export function findPrograms() {
  return Object.fromEntries(Object.keys(packages).map((name) => [name, find(name)]));
}

function find(name) {
  const path =
    process.env[name.toUpperCase()] ?? folders.map((folder) => join(folder, name)).find(existsSync);
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw failure(`${name} is missing: install ${packages[name]} (infra/edge/install does)`);
  }
}
