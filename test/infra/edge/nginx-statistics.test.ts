import { describeNginx, startNginx } from './support/nginx-kit.ts';
import { shipsExactly } from './support/ships-exactly.ts';

describeNginx('Statistics of a real nginx, shipped through every trouble', () => shipsExactly(startNginx));
