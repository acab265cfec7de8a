import { knowsTenantsAndTargets, purgesEverySpelling } from './support/contract-canonical.ts';
import { describeNginx, nginxKit } from './support/nginx-kit.ts';

describeNginx('What nginx takes for the same target', () => purgesEverySpelling(nginxKit));
describeNginx('Whom and what nginx takes for the same', () => knowsTenantsAndTargets(nginxKit));
