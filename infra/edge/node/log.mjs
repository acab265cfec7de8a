/** A line of the node's one log, with the name of the part that says it. */
export function log(name, line) {
  process.stderr.write(`${name}: ${line.replace(/\p{Cc}/gu, ' ')}\n`);
}
