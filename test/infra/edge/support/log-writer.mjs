// Writes numbered lines as nginx does: it keeps its file open, and opens it anew at SIGUSR1.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';

const [dir, count] = process.argv.slice(2);
const open = () => openSync(`${dir}/access.log`, 'a');
let file = open();
process.on('SIGUSR1', () => {
  const old = file;
  file = open();
  closeSync(old);
});
writeFileSync(`${dir}/nginx.pid`, `${process.pid}\n`);

let written = 0;
const writeSome = () => {
  for (let index = 0; index < 500 && written < Number(count); index += 1) {
    const line = `{"ts":1795167000.250,"h":"www.example.com","m":"GET","u":"/${written}/${'x'.repeat(150)}","s":200,"b":90,"c":"MISS"}\n`;
    writeSync(file, line);
    written += 1;
  }
  if (written < Number(count)) setTimeout(writeSome, 2);
  else process.send?.('written');
};
writeSome();
setInterval(() => undefined, 1_000);
