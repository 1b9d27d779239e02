// Document syntax: files, YAML, JSON, OpenAPI, references.

export const documentEntries = {};
