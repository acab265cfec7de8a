import { request } from 'node:http';
import { createConnection } from 'node:net';

const timeoutMilliseconds = 30_000;

/** @returns {Promise<import('node:net').Socket>} */
export function connectTo(path) {
  return new Promise((resolve, reject) => {
    const connection = createConnection(path, () => {
      connection.off('error', reject);
      resolve(connection);
    }).once('error', reject);
  });
}

/** Posts changes over this very connection. @returns the status and the text of the response */
export function post(connection, text) {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    const options = { createConnection: () => connection, method: 'POST', path: '/changes', headers };
    const asking = request({ ...options, timeout: timeoutMilliseconds }, (response) => {
      let said = '';
      response.setEncoding('utf8').on('data', (part) => {
        said += part;
      });
      response.once('end', () => resolve({ status: response.statusCode, text: said }));
      response.once('error', reject);
    });
    asking.once('timeout', () => asking.destroy(new Error('no response in time')));
    asking.once('error', reject);
    asking.end(text);
  });
}
