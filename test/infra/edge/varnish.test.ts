import { describeDriverContract } from './driver-contract.ts';
import { describeVarnish, roomyVarnish } from './support/varnish-kit.ts';

describeVarnish('The Varnish kit', () => describeDriverContract(roomyVarnish));
