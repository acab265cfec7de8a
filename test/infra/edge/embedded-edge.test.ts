import { describeDriverContract } from './driver-contract.ts';
import { embeddedKit } from './support/embedded-kit.ts';

describeDriverContract(embeddedKit);
