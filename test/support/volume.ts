/** How much a test tries: enough for its argument, or all of it in `npm run test:load` and `npm run trust`. */
export function volume(enough: number, all: number): number {
  return process.env.TEST_VOLUME === 'all' ? all : enough;
}
