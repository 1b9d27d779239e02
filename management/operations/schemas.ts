// The operations at `/schemas`: the JSON Schema of definitions.

import { RestAnswer, refusal } from "../../runtime/rest/answers.ts";
import { wholeDocumentSchema } from "../../schemas/whole-document.ts";
import { type ManagedOperation, managed } from "../operation.ts";

/** The OpenAPI versions that definitions may have. */
const openapiVersions = /^3\.[012](\.\d+)?$/;

export const schemaOperations: readonly ManagedOperation[] = [
  managed({
    method: "GET",
    path: "/schemas/apidefs/streams-oas",
    operationId: "readStreamApiSchema",
    tag: "Schemas",
    summary: "Returns the JSON Schema of definitions, for editors and other programs.",
    permission: "read",
    isPerApi: true,
    isStreaming: true,
    parameters: [
      {
        name: "oasVersion",
        description: "A version of OpenAPI: 3.0, 3.1 or 3.2.",
        schema: { type: "string" },
      },
      { name: "pretty", description: "Whether the schema is indented.", schema: { type: "boolean" } },
    ],
    answer: {
      kind: "other",
      description: "JSON Schema, draft 2020-12.",
      schema: { type: "object" },
      types: ["application/schema+json"],
    },
    refusals: [500],
    async run({ query }) {
      const version = query.get("oasVersion");
      if (typeof version === "string" && !openapiVersions.test(version)) {
        throw refusal(500, "Could not retrieve schema. schema not found for version.");
      }
      const text = JSON.stringify(wholeDocumentSchema(), undefined, query.get("pretty") === true ? 2 : 0);
      return new RestAnswer(text, { "content-type": "application/schema+json" });
    },
  }),
];
