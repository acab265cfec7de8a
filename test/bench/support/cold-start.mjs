/**
 * Loads a bundle into a process that has loaded nothing, as Lambda does, calls its handler where an event is given, and
 * tells how much CPU that took and what the handler returned. It is CPU, since a function of 512 MB has 0.29 of one, which is
 * what its start then takes, and since a busy machine makes it no dearer.
 */
const [file = '', event] = process.argv.slice(2);
const given = event && JSON.parse(event);
const { createRequire } = process.getBuiltinModule('module');
const before = process.cpuUsage();
const { handler } = file.endsWith('.cjs') ? createRequire(import.meta.url)(file) : await import(file);
const result = given && (await handler(given, {}));
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ milliseconds: (user + system) / 1_000, result }), () => process.exit());
