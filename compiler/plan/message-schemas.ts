// Which message shapes a stream declares: `schema:` beside an input or output, else the OpenAPI operation
// that a client endpoint serves.

import type { Route } from "../check/document/routes.ts";
import type { ApiDocument, StreamNode } from "../parse/document/api.ts";
import { listenPathOf } from "../parse/document/listen-path.ts";
import { type DocumentNode, findNode } from "../parse/document/tree.ts";
import type { MessageSchemaPlan } from "./plan.ts";
import { selfContained } from "./self-contained-schema.ts";

/** The declared shapes of a stream's messages, none where nothing is declared; `routes` are its own. */
export function planMessageSchemas(
  stream: StreamNode,
  api: ApiDocument,
  routes: readonly Route[],
): readonly MessageSchemaPlan[] {
  const ofRole = (role: Route["component"]["role"]) =>
    routes.filter(({ component }) => component.role === role);
  const taken = stream.input?.schema ?? requestSchema(api, ofRole("input"));
  const given = stream.output?.schema ?? responseSchema(api, ofRole("output"));
  return [
    ...(taken === undefined ? [] : [{ role: "input" as const, schema: selfContained(taken, api) }]),
    ...(given === undefined ? [] : [{ role: "output" as const, schema: selfContained(given, api) }]),
  ];
}

/** The JSON request body of the operation that an input's route serves. */
function requestSchema(api: ApiDocument, routes: readonly Route[]): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, routes), "requestBody", "content");
  return contentSchema(content, /[/+]json\b/, "schema");
}

/** The messages of the operation that an output's route serves; OpenAPI 3.2 has `itemSchema` for streams. */
function responseSchema(api: ApiDocument, routes: readonly Route[]): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, routes), "responses", "200", "content");
  return (
    contentSchema(content, /^text\/event-stream\b/, "itemSchema") ??
    contentSchema(content, /^text\/event-stream\b/, "schema") ??
    contentSchema(content, /[/+]json\b/, "schema")
  );
}

/** The operation that a route serves; OpenAPI's paths come after the listen path, as the routes' own do. */
function findOperation(api: ApiDocument, routes: readonly Route[]): DocumentNode | undefined {
  const below = listenPathOf(api).length - 1;
  for (const route of routes) {
    for (const verb of route.transport === "http" ? route.verbs : ["GET"]) {
      const path = route.path.slice(below);
      const operation = api.references.find(api.root, "paths", path, verb.toLowerCase());
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
