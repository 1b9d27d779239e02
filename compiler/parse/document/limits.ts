// How large a document may be before it is refused.

/** Bytes of one file: 16 MB. */
export const maximumBytes = 16 * 1024 * 1024;

/** Maps and lists within each other, whether written so or brought together by aliases and references. */
export const maximumDepth = 200;

/** Nodes that aliases or references may repeat in one document. */
export const maximumExpansion = 200_000;
