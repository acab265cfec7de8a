import { shipsExactly } from './support/ships-exactly.ts';
import { describeVarnish, startVarnish } from './support/varnish-kit.ts';

describeVarnish('Statistics of a real Varnish, shipped through every trouble', () =>
  shipsExactly(startVarnish),
);
