import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

const typeA = 1;
const typeAaaa = 28;

/** A name server of a few names, whose addresses a test changes. */
export class DnsServer {
  readonly addresses = new Map<string, readonly string[]>();
  /** Names, once for each question. */
  readonly asked: string[] = [];
  private readonly socket: Socket = createSocket('udp4', (message, { port, address }) => {
    this.socket.send(this.responseTo(message), port, address);
  });

  /** @returns its address and port */
  async start(): Promise<string> {
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    return `127.0.0.1:${this.socket.address().port}`;
  }

  async stop(): Promise<void> {
    this.socket.close();
  }

  private responseTo(message: Buffer): Buffer {
    const { name, end } = nameIn(message);
    const type = message.readUInt16BE(end);
    const question = message.subarray(12, end + 4);
    this.asked.push(name);
    const known = this.addresses.get(name);
    const records = (known ?? [])
      .filter((address) => (isIPv6(address) ? typeAaaa : typeA) === type)
      .map((address) => recordOf(type, address));
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, question, ...records]);
  }
}

function nameIn(message: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** Its name is the question's; it may be kept for no time. */
function recordOf(type: number, address: string): Buffer {
  const data = type === typeA ? Buffer.from(address.split('.').map(Number)) : bytesOfIPv6(address);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOfIPv6(address: string): Buffer {
  const [before = [], after = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
