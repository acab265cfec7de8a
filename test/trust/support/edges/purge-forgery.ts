import fc from 'fast-check';
import { hostKey, objectKeys } from '../../../../shared/edge/cache-keys.ts';
import { headers, modes, type PurgeCommand, sign } from '../../../../shared/edge/purge-protocol.ts';
import type { Victim } from './edge-attack.ts';

/** A request of the purge protocol that must remove nothing of the victim. */
export interface Forgery {
  readonly bytes: string;
  /** Whether it is another tenant's own, which the edge obeys. */
  readonly isRight: boolean;
}

/** What is made of a right purge: text of the four headers, and what is sent with them. */
interface Purge {
  readonly time: string;
  readonly mode: string;
  readonly keys: string;
  readonly signature: string;
}

type Forge = (right: PurgeCommand, secret: string, stranger: PurgeCommand) => Partial<Purge>;

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function changed(text: string, at: number): string {
  const index = at % text.length;
  return text.slice(0, index) + (text[index] === '0' ? '1' : '0') + text.slice(index + 1);
}

const nat = fc.nat(100_000);
const text = fc.string({ maxLength: 70, unit: fc.constantFrom(...'0123456789abcdefABCDEF xX,') });

/** Each takes something from a right purge, or signs something else. */
const forges: fc.Arbitrary<Forge> = fc.oneof(
  fc.constant<Forge>(() => ({ signature: '' })),
  text.map<Forge>((signature) => () => ({ signature })),
  nat.map<Forge>((at) => (right, secret) => ({ signature: changed(sign(secret, right), at) })),
  nat.map<Forge>((at) => (right, secret) => ({ signature: sign(secret, right).slice(0, at % 64) })),
  text.map<Forge>((more) => (right, secret) => ({ signature: `${sign(secret, right)}0${more}` })),
  text.map<Forge>((guess) => (right, secret) => ({ signature: sign(`${secret}${guess}.`, right) })),
  fc
    .constantFrom('guess', '0', 'undefined', 'null')
    .map<Forge>((guess) => (right) => ({ signature: sign(guess, right) })),
  // A replay, whole and right but for its age; or of a time to come.
  fc.tuple(nat, fc.constantFrom(-1, 1)).map<Forge>(([seconds, sign_]) => (right, secret) => {
    const time = right.time + sign_ * (62 + seconds);
    return { time: String(time), signature: sign(secret, { ...right, time }) };
  }),
  fc
    .tuple(fc.integer({ min: 1, max: 50 }), fc.constantFrom(-1, 1))
    .map<Forge>(([seconds, sign_]) => ({ time }) => ({
      time: String(time + sign_ * seconds),
    })),
  // Signed for another mode or other keys than it names.
  fc.constantFrom(...modes).map<Forge>((mode) => (right, secret) => ({
    mode: right.mode === mode ? 'soft' : right.mode,
    signature: sign(secret, { ...right, mode: right.mode === mode ? 'check' : mode }),
  })),
  fc.constant<Forge>((_, secret, stranger) => ({ signature: sign(secret, stranger) })),
  fc.constant<Forge>((right, secret, stranger) => ({
    keys: `${stranger.keys} ${right.keys}`,
    signature: sign(secret, stranger),
  })),
  fc.constant<Forge>(({ keys }) => ({ keys: keys.split(' ').toReversed().concat('h/x.example').join(' ') })),
  nat.map<Forge>((at) => ({ keys }) => ({ keys: keys.slice(0, 1 + (at % (keys.length - 1))) })),
  fc.constantFrom('HARD', 'hard,soft', 'purge', '', 'check hard').map<Forge>((mode) => () => ({ mode })),
  fc
    .constantFrom('', '-1', 'now', '1e9', '0x6', '99999999999999', 'NaN', '1,1')
    .map<Forge>((time) => () => ({ time })),
  // The border between the fields that are signed.
  fc.constant<Forge>(({ time, mode, keys }, secret) => ({
    time: `${time} ${mode}`,
    mode: keys,
    keys: '',
    signature: sign(secret, { time, mode, keys }),
  })),
);

const lineOf = ({ time, mode, keys, signature }: Purge) => [
  `${headers.time}: ${time}`,
  `${headers.mode}: ${mode}`,
  `${headers.keys}: ${keys}`,
  `${headers.signature}: ${signature}`,
];

function rightPurge(command: PurgeCommand, secret: string): Purge {
  return { ...command, time: String(command.time), signature: sign(secret, command) };
}

function requestOf(start: string, host: string, lines: readonly string[]): string {
  return [start, `Host: ${host}`, 'Connection: close', ...lines, '', ''].join('\r\n');
}

export type MakeForgery = (victim: Victim, secret: string) => Forgery;

const starts = [
  'GET / HTTP/1.1',
  'POST / HTTP/1.1\r\nX-HTTP-Method-Override: PURGE',
  'OPTIONS * HTTP/1.1',
  'Purge / HTTP/1.1',
  'BAN / HTTP/1.1',
];

/** Of every four one names the victim only by its `Host`, or is sent by another method. */
export const purgeForgery: fc.Arbitrary<MakeForgery> = fc
  .record({
    forge: forges,
    mode: fc.constantFrom('hard' as const, 'soft' as const),
    kind: fc.constantFrom('forged', 'forged', 'forged', 'forged twice', 'another method', 'another tenant'),
    start: fc.constantFrom(...starts),
    isReversed: fc.boolean(),
    extent: fc.nat(5),
  })
  .map(({ forge, mode, kind, start, isReversed, extent }) => ({ host, path }, secret) => {
    const keys = [hostKey(host), ...objectKeys(host, path, ['reflected'])].slice(0, 1 + extent).join(' ');
    const right: PurgeCommand = { time: now(), mode, keys };
    const stranger: PurgeCommand = { ...right, keys: hostKey(`stranger.${host}`) };
    if (kind === 'another tenant')
      return {
        bytes: requestOf('PURGE / HTTP/1.1', host, lineOf(rightPurge(stranger, secret))),
        isRight: true,
      };
    const whole = rightPurge(right, secret);
    if (kind === 'another method') return { bytes: requestOf(start, host, lineOf(whole)), isRight: true };
    const lines = lineOf({ ...whole, ...forge(right, secret, stranger) });
    const twice = kind === 'forged twice' ? lineOf(rightPurge(stranger, secret)) : [];
    const sent = [...lines, ...twice];
    return {
      bytes: requestOf('PURGE / HTTP/1.1', host, isReversed ? sent.toReversed() : sent),
      isRight: false,
    };
  });
