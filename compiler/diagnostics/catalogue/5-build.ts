// Planning, emitting and linking.

export const buildEntries = {};
