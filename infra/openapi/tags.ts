import type { Tag } from './openapi.ts';

/** What `appliedByEdges` means today. */
const whoApplies =
  'The API configures edge nodes and the local run’s edge. A node with a fixed --backend and CloudFront keep their own configuration.';

const edges: Tag = {
  name: 'Edges',
  description: 'For edges only: their configuration goes out here, and their logs come in.',
};

/** By the folder of the endpoint's file, where its name and path say too little. */
const tagsByFolder: Readonly<Record<string, Tag>> = {
  auth: { name: 'Login', description: 'Log in, second factor, password. These act on a user.' },
  account: { name: 'Account', description: 'The account that the credential belongs to.' },
  'api-key': { name: 'API keys', description: 'Keys with which scripts and plugins call the API.' },
  property: {
    name: 'Properties',
    description: `The web sites that the network delivers. ${whoApplies}`,
  },
  rule: {
    name: 'Rules',
    description: `What edges do with requests of a property. ${whoApplies}`,
  },
  purge: { name: 'Purge', description: 'Remove content from the edges, and see how far that is.' },
  ticket: { name: 'Tickets', description: 'Ask support.' },
  statistics: { name: 'Statistics', description: 'What the edges served, from their own logs.' },
  'edge-config': edges,
  'edge-log': edges,
  'ticket-message': { name: 'Tickets', description: 'Ask support.' },
};

/** The heading under which the endpoints of one folder stand. */
export function tagOf(file: string): Tag {
  const folder = file.split('/')[0] ?? '';
  return tagsByFolder[folder] ?? tagNamed(folder);
}

function tagNamed(folder: string): Tag {
  const words = folder.replaceAll('-', ' ');
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  return { name, description: `${name}.` };
}
