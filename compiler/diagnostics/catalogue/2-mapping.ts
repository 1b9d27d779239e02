// Mapping syntax.

export const mappingEntries = {};
