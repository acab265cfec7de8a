/** Half of what the API takes at once, so that it is done well within its time. */
const maximumLines = 25_000;

/** The API refuses longer lines. */
const maximumLineBytes = 16 * 1024;

/** Of the API's concern is no text but the host, and a host's name has 253 characters at most. */
const maximumTextLength = 300;

const newline = 0x0a;

/** Length of the whole lines at the beginning, of no more than make a batch. @param {Buffer} bytes */
export function lengthOfLines(bytes) {
  let length = 0;
  for (let lines = 0; lines < maximumLines; lines += 1) {
    const found = bytes.indexOf(newline, length);
    if (found < 0) break;
    length = found + 1;
  }
  return length;
}

/** Length of the first half of a batch's lines; 0 where it is one line. @param {Buffer} bytes */
export function halfOf(bytes) {
  const middle = Math.floor(bytes.length / 2);
  const before = bytes.subarray(0, middle).lastIndexOf(newline) + 1;
  if (before > 0) return before;
  const after = bytes.indexOf(newline, middle) + 1;
  return after < bytes.length ? after : 0;
}

/** A batch as it is sent: the same for the same bytes, because the API knows it by them. @param {Buffer} bytes */
export function textOf(bytes) {
  return bytes.toString('utf8').split('\n').map(bounded).join('\n');
}

/** What cannot be made short enough the API rejects, and counts as rejected. */
function bounded(line) {
  if (Buffer.byteLength(line) <= maximumLineBytes) return line;
  const short = shortened(line);
  return short !== undefined && Buffer.byteLength(short) <= maximumLineBytes
    ? short
    : '"a line that is too long"';
}

function shortened(line) {
  try {
    return JSON.stringify(JSON.parse(line), (_, value) =>
      typeof value === 'string' ? value.slice(0, maximumTextLength) : value,
    );
  } catch {
    return undefined;
  }
}
