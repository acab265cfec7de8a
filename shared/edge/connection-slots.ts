import { buildConnector } from 'undici';

/** A Lambda environment may have 1,024 files open, of which the runtime and AWS's clients need some. */
const mostConnections = 800;

let taken = 0;
const waiting: (() => void)[] = [];

/** Whether a connection waits until another one is closed. */
export function isShort(): boolean {
  return waiting.length > 0;
}

/**
 * Connects as undici does, with no more connections at a time than there are slots.
 * @param onShort is called when the last slot was taken and one more is needed
 */
export function connectWithinSlots(
  options: buildConnector.BuildOptions,
  onShort: () => void,
): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    takeSlot(() => {
      connect(target, (...[error, socket]) => {
        if (error) {
          releaseSlot();
          callback(error, null);
        } else {
          socket.once('close', releaseSlot);
          callback(null, socket);
        }
      });
    }, onShort);
  };
}

function takeSlot(use: () => void, onShort: () => void): void {
  if (taken < mostConnections) {
    taken += 1;
    use();
    return;
  }
  waiting.push(use);
  if (waiting.length === 1) onShort();
}

/** The slot goes to who waits for it longest. */
function releaseSlot(): void {
  const next = waiting.shift();
  if (next) next();
  else taken -= 1;
}
