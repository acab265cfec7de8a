import { knowsTenantsAndTargets, purgesEverySpelling } from './support/contract-canonical.ts';
import { describeVarnish, varnishKit } from './support/varnish-kit.ts';

describeVarnish('What Varnish takes for the same target', () => purgesEverySpelling(varnishKit));
describeVarnish('Whom and what Varnish takes for the same', () => knowsTenantsAndTargets(varnishKit));
