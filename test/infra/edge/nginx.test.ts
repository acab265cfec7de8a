import { describeDriverContract } from './driver-contract.ts';
import { describeNginx, nginxKit } from './support/nginx-kit.ts';

describeNginx('The nginx kit', () => {
  describeDriverContract({ ...nginxKit, name: 'nginx' });
});
