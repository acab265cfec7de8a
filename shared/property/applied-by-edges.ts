/** Ends the description of what not every edge applies. */
export const appliedByEdges = 'Applied by edges that the API configures.';
