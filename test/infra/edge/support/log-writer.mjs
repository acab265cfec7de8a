// Writes numbered lines as the edge node does: in files of whole lines, each begun when the one before is full,
// which is then taken for one that has been quiet for long.
import { closeSync, futimesSync, openSync, writeSync } from 'node:fs';

const [dir, count, linesPerFile] = process.argv.slice(2);
let file;
let written = 0;

const open = () => {
  if (file !== undefined) {
    futimesSync(file, 0, 0);
    closeSync(file);
  }
  file = openSync(`${dir}/access.log.1795167000.${String(written / linesPerFile).padStart(6, '0')}`, 'w');
};

const writeSome = () => {
  for (let index = 0; index < 500 && written < Number(count); index += 1) {
    if (written % linesPerFile === 0) open();
    const line = `{"ts":1795167000.250,"h":"www.example.com","m":"GET","u":"/${written}/${'x'.repeat(150)}","s":200,"b":90,"hd":"miss"}\n`;
    writeSync(file, line);
    written += 1;
  }
  if (written < Number(count)) setTimeout(writeSome, 2);
  else process.send?.('written');
};
writeSome();
