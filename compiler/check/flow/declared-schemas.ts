// Which message shapes a stream declares: `schema:` beside an input or output, else the OpenAPI operation
// that a client endpoint serves.

import type { ApiModel } from "../../model/api.ts";
import type { Route } from "../../model/routes.ts";
import type { StreamNode } from "../../trees/api.ts";
import { type DocumentNode, findNode } from "../../trees/document.ts";

/** The schemas of a stream's messages, as they stand in the document. */
export interface DeclaredSchemas {
  /** What the input takes. */
  readonly input?: DocumentNode;
  /** What the output gives. */
  readonly output?: DocumentNode;
}

/** The declared shapes of a stream's messages, none where nothing is declared; `routes` are its own. */
export function findDeclaredSchemas(
  stream: StreamNode,
  api: ApiModel,
  routes: readonly Route[],
): DeclaredSchemas {
  const ofRole = (role: Route["component"]["role"]) =>
    routes.filter(({ component }) => component.role === role);
  const input = stream.input?.schema ?? requestSchema(api, ofRole("input"));
  const output = stream.output?.schema ?? responseSchema(api, ofRole("output"));
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
}

/** The JSON request body of the operation that an input's route serves. */
function requestSchema(api: ApiModel, routes: readonly Route[]): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, routes), "requestBody", "content");
  return findContentSchema(content, /[/+]json\b/, "schema");
}

/** The messages of the operation that an output's route serves; OpenAPI 3.2 has `itemSchema` for streams. */
function responseSchema(api: ApiModel, routes: readonly Route[]): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, routes), "responses", "200", "content");
  return (
    findContentSchema(content, /^text\/event-stream\b/, "itemSchema") ??
    findContentSchema(content, /^text\/event-stream\b/, "schema") ??
    findContentSchema(content, /[/+]json\b/, "schema")
  );
}

/** The operation that a route serves; OpenAPI's paths come after the listen path, as the routes' own do. */
function findOperation(api: ApiModel, routes: readonly Route[]): DocumentNode | undefined {
  for (const { ownPath, transport, verbs } of routes) {
    const operations = api.paths.find(({ path }) => path === ownPath)?.operations();
    for (const verb of transport === "http" ? verbs : ["GET"]) {
      const operation = operations?.get(verb.toUpperCase());
      if (operation !== undefined) return operation.node;
    }
  }
  return undefined;
}

/** The schema under the first media type of `content` that fits. */
export function findContentSchema(
  content: DocumentNode | undefined,
  type: RegExp,
  keyword: "schema" | "itemSchema",
): DocumentNode | undefined {
  if (content?.kind !== "map") return undefined;
  const entry = content.entries.find(({ key }) => type.test(key));
  return findNode(entry?.value, keyword);
}
