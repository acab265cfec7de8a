import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/synthesize.ts'],
    setupFiles: ['test/support/described-answers.ts'],
    pool: 'forks',
    maxWorkers: 3,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    testTimeout: 120_000,
    hookTimeout: 150_000,
  },
});
