// Limits on the size of documents. Larger documents are refused.

/** The maximum size of one file in bytes: 16 MB. */
export const maximumBytes = 16 * 1024 * 1024;

/** The maximum depth of nested maps and lists, as written or through aliases and references. */
export const maximumDepth = 200;

/** The maximum number of components that resources of one stream may repeat. */
export const maximumComponents = 20_000;

/** The maximum number of nodes that aliases or references may repeat in one document. */
export const maximumExpansion = 200_000;
