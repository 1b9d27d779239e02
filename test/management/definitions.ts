// Definitions for requests.

/** Returns a definition with one stream, as JSON. */
export function definitionOf(
  listenPath: string,
  options: { readonly id?: string; readonly name?: string; readonly mapping?: string } = {},
): string {
  const { id, name = listenPath, mapping = "root = this" } = options;
  return `{
  "openapi": "3.1.0",
  "info": { "title": ${JSON.stringify(name)}, "version": "1.0.0" },
  "paths": {},
  "x-gw-api-gateway": {
    "info": { ${id === undefined ? "" : `"id": "${id}", `}"name": ${JSON.stringify(name)}, "state": { "active": true } },
    "server": { "listenPath": { "value": "${listenPath}" } }
  },
  "x-gw-streaming": {
    "streams": {
      "intake": {
        "input": { "http_server": { "path": "/new" } },
        "pipeline": { "processors": [{ "mapping": ${JSON.stringify(mapping)} }] },
        "output": { "drop": {} }
      }
    }
  }
}
`;
}

/** Returns the same as YAML, with a comment and a number that JavaScript would round. */
export function yamlDefinitionOf(listenPath: string): string {
  return `# kept
openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { name: orders, state: { active: true } }
  server: { listenPath: { value: ${listenPath} } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /new } }
      pipeline:
        processors:
          - mapping: root.big = 9007199254740993 # as it is
      output: { drop: {} }
`;
}

export const ownType = { "content-type": "application/vnd.gw.streams.oas" };
