import { defineConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

/** Without the functions' bundles and template, which take most of the time of a test that needs none. */
export default defineConfig({ test: { ...config.test, globalSetup: [] } });
