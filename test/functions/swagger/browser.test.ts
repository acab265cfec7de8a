import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { description } from '../../support/description.ts';
import { makeUser, tokenOf } from '../../support/identity.ts';
import { installed } from '../../support/installed.ts';
import { joinSharedRun } from '../../support/shared-run.ts';
import type { TestRun } from '../../support/test-run.ts';

const program = '/usr/bin/chromium';
const quietly = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

const operationIds = Object.values(description().paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId),
);

describe.skipIf(!installed(program))('in Chromium (skipped where /usr/bin/chromium is missing)', () => {
  let run: TestRun;
  let folder: string;
  let browser: BrowserContext;
  let page: Page;
  let account: Locator;
  const complaints: string[] = [];
  const hosts = new Set<string>();

  beforeAll(async () => {
    run = await joinSharedRun();
    folder = mkdtempSync(join(tmpdir(), 'cdn-management-browser-'));
    browser = await chromium.launchPersistentContext(folder, { executablePath: program, args: quietly });
    page = await browser.newPage();
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  });
  afterAll(async () => {
    await browser?.close();
    await run.end();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(id: string): Promise<Locator> {
    const operation = page.locator(`[id$="-${id}"]`);
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    return operation;
  }

  /** @returns the body of the API’s response, as the page shows it */
  async function execute(operation: Locator, status: string): Promise<string | null> {
    await operation.locator('button.execute').click();
    const response = operation.locator('.live-responses-table .response').first();
    await response.locator('.response-col_status', { hasText: status }).waitFor();
    return response.locator('pre').first().textContent();
  }

  test.each(['/swagger', '/Swagger/'])('%s shows every operation', async (path) => {
    await page.goto(run.baseUrl + path);
    await page.locator('.opblock').first().waitFor();
    const shown = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id));
    expect(shown.map((id) => id.split('-').at(-1)).sort()).toEqual([...operationIds].sort());
  });

  test('with a token ‘Try it out’ gets the account, after a reload of the tab too', async () => {
    const token = await tokenOf(run.api, await makeUser(run.accountId));
    await page.locator('button.authorize').click();
    await page.locator('.modal-ux input').fill(token);
    await page.locator('.modal-ux button[type=submit]').click();
    await page.locator('.modal-ux button.btn-done').click();
    await page.reload();
    account = await open('accountGet');
    expect(await execute(account, '200')).toContain(run.accountId);
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 1]);
  });

  test('the filter finds an operation by its path', async () => {
    await page.locator('.operation-filter-input').fill('/RULES/TEST');
    await expect.poll(() => page.locator('.opblock').count()).toBe(1);
    await page.locator('.operation-filter-input').fill('');
  });

  test('on a phone nothing is wider than the screen', async () => {
    const purge = await open('purgeCreate');
    await purge.getByPlaceholder('propertyId').fill(run.propertyId);
    await execute(purge, '200');
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      const [content, screen] = await page
        .locator('html')
        .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
      expect([width, content]).toEqual([width, screen]);
    }
  });

  test('a logout removes the token, and ‘Try it out’ says where to get one', async () => {
    await page.locator('button.authorize').click();
    await page.locator('.modal-ux button', { hasText: 'Logout' }).click();
    await page.locator('.modal-ux button.btn-done').click();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    expect(await execute(account, '401')).toContain('POST /api/Auth/Login');
    await expect.poll(() => complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  test('nothing broke the page’s policy, and no other host was asked', () => {
    expect(complaints).toEqual([]);
    expect([...hosts].filter((origin) => origin !== 'null')).toEqual([run.baseUrl]);
  });
});
