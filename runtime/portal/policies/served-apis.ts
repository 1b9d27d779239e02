// The APIs that policies can name, for those who write policies.

import type { ApiIdentity } from "../../http/call.ts";
import type { RecordSchema } from "../../rest/operation.ts";

/** An API that policies can name. */
export interface ServedApi {
  readonly id: string;
  readonly name: string;
  readonly listen_path: string;
}

/** The same as JSON Schema. */
export const servedApiSchema: RecordSchema<ServedApi> = {
  name: "ServedApi",
  schema: {
    title: "API",
    description: "An API that the gateway serves.",
    type: "object",
    additionalProperties: false,
    required: ["id", "name", "listen_path"],
    properties: {
      id: { type: "string", description: "Id that policies name it by." },
      name: { type: "string", description: "Name for people." },
      listen_path: { type: "string", description: "Path that its requests begin with." },
    },
  },
};

/** Those of an organisation, in the order of their ids. */
export function servedApisOf(apis: readonly ApiIdentity[], organisation: string): readonly ServedApi[] {
  return apis
    .filter(({ organisation: owner = organisation }) => owner === organisation)
    .map(({ id, name = id, listenPath }) => ({ id, name, listen_path: listenPath }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
