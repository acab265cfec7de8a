import { describeDriverContract } from './driver-contract.ts';
import { describeNode, roomyNode } from './support/node-kit.ts';

describeNode('The edge node', () => describeDriverContract(roomyNode));
