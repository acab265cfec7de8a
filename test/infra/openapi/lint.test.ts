import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { description } from '../../support/description.ts';

test('Spectral’s spectral:oas finds nothing, not even a warning', async () => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset(new spectralCore.Ruleset({ extends: [[spectralRulesets.oas, 'recommended']] }));
  const found = await spectral.run(JSON.stringify(description()));
  expect(found.map(({ code, path, message }) => `${code} at ${path.join(' ')}: ${message}`)).toEqual([]);
});

test('Redocly’s recommended rules find nothing, not even a warning', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    // Whoever runs the service decides on its licence, and has no page for it here.
    rules: { 'info-license-strict': 'off' },
  });
  const found = await lintFromString({
    source: JSON.stringify(description()),
    absoluteRef: '/swagger.json',
    config,
  });
  expect(
    found.map(({ ruleId, location, message }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
  ).toEqual([]);
});
