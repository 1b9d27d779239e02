// Which message shapes a stream declares: `schema:` beside an input or output, else the OpenAPI operation
// that a client endpoint serves.

import type { ApiDocument, StreamNode } from "../parse/document/api.ts";
import { type DocumentNode, findNode } from "../parse/document/tree.ts";
import type { ComponentPlan, MessageSchemaPlan } from "./plan.ts";
import { planRoutes } from "./routes.ts";
import { selfContained } from "./self-contained-schema.ts";

/** The declared shapes of a stream's messages, none where nothing is declared. */
export function planMessageSchemas(
  stream: StreamNode,
  api: ApiDocument,
  input: ComponentPlan,
  output: ComponentPlan,
): readonly MessageSchemaPlan[] {
  const taken = stream.input?.schema ?? requestSchema(api, input);
  const given = stream.output?.schema ?? responseSchema(api, output);
  return [
    ...(taken === undefined ? [] : [{ role: "input" as const, schema: selfContained(taken, api) }]),
    ...(given === undefined ? [] : [{ role: "output" as const, schema: selfContained(given, api) }]),
  ];
}

/** The JSON request body of the operation that an input's route serves. */
function requestSchema(api: ApiDocument, input: ComponentPlan): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, input), "requestBody", "content");
  return contentSchema(content, /[/+]json\b/, "schema");
}

/** The messages of the operation that an output's route serves; OpenAPI 3.2 has `itemSchema` for streams. */
function responseSchema(api: ApiDocument, output: ComponentPlan): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, output), "responses", "200", "content");
  return (
    contentSchema(content, /^text\/event-stream\b/, "itemSchema") ??
    contentSchema(content, /^text\/event-stream\b/, "schema") ??
    contentSchema(content, /[/+]json\b/, "schema")
  );
}

function findOperation(api: ApiDocument, component: ComponentPlan): DocumentNode | undefined {
  for (const route of planRoutes(component, "/")) {
    for (const verb of route.verbs) {
      const operation = api.references.find(api.root, "paths", route.path, verb.toLowerCase());
      if (operation !== undefined) return operation;
    }
  }
  return undefined;
}

function contentSchema(
  content: DocumentNode | undefined,
  type: RegExp,
  keyword: "schema" | "itemSchema",
): DocumentNode | undefined {
  if (content?.kind !== "map") return undefined;
  const entry = content.entries.find(({ key }) => type.test(key));
  return findNode(entry?.value, keyword);
}
