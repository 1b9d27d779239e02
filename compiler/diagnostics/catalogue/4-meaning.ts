// Document meaning: components, fields, names, routes.

export const meaningEntries = {};
