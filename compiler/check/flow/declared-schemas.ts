// Which message shapes the components of a stream declare: `schema:` beside them, else the OpenAPI operation that a client
// endpoint serves.

import type { ApiModel } from "../../model/api.ts";
import { componentsOf, repliesOf } from "../../model/components.ts";
import type { Route } from "../../model/routes.ts";
import type { ComponentNode, StreamNode } from "../../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../../trees/document.ts";
import { findField, literalText } from "../../trees/fields.ts";

/**
 * The schemas of a stream's messages, as they stand in the document: of those that an input or a processor gives, and of
 * those that an output gets.
 */
export type DeclaredSchemas = ReadonlyMap<ComponentNode, DocumentNode>;

/** The declared shapes of a stream's messages, by the component that declares them; `routes` are the stream's own. */
export function findDeclaredSchemas(
  stream: StreamNode,
  api: ApiModel,
  routes: readonly Route[],
): DeclaredSchemas {
  const ofComponents = Map.groupBy(routes, ({ component }) => component);
  const asked = [...ofComponents].filter(([{ role }]) => role === "input");
  const declared = componentsOf(stream).flatMap((component) => {
    const schema =
      component.schema ??
      (component.descriptor?.answersRequests === true
        ? replySchema(asked, api)
        : servedSchema(component, ofComponents.get(component) ?? [], api));
    return schema === undefined ? [] : [[component, schema] as const];
  });
  return new Map(declared);
}

function servedSchema(
  { role }: ComponentNode,
  routes: readonly Route[],
  api: ApiModel,
): DocumentNode | undefined {
  return role === "input" ? requestSchema(api, routes) : responseSchema(api, routes);
}

/** The JSON request body of the operation that an input's route serves. */
function requestSchema(api: ApiModel, routes: readonly Route[]): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, routes), "requestBody", "content");
  return findContentSchema(content, /[/+]json\b/, "schema");
}

/** The messages of the operation that an output's route serves; OpenAPI 3.2 has `itemSchema` for streams. */
function responseSchema(api: ApiModel, routes: readonly Route[]): DocumentNode | undefined {
  const content = api.references.find(findOperation(api, routes), "responses", "200", "content");
  const event = findContentSchema(content, /^text\/event-stream\b/, "itemSchema");
  if (event !== undefined) return dataSchema(event, api);
  return (
    findContentSchema(content, /^text\/event-stream\b/, "schema") ??
    findContentSchema(content, /[/+]json\b/, "schema")
  );
}

/**
 * The message in the events that an `itemSchema` describes: by OpenAPI 3.2 an item has the fields of an event, and its `data`
 * is a string with a `contentSchema`. An `itemSchema` that describes the message itself is taken as well.
 */
function dataSchema(item: DocumentNode, api: ApiModel): DocumentNode | undefined {
  const { references } = api;
  const properties = references.find(item, "properties");
  if (properties?.kind !== "map" || !properties.entries.every(({ key }) => eventFields.has(key))) return item;
  const data = references.find(properties, "data");
  const type = findText(references.find(data, "type"));
  if (data === undefined || (type !== undefined && type !== "string")) return item;
  return references.find(data, "contentSchema");
}

/** The fields of a server-sent event. */
const eventFields: ReadonlySet<string> = new Set(["data", "event", "id", "retry"]);

/**
 * The JSON that one operation declares as its reply. Where several endpoints wait for replies, where queries choose the
 * status or the type, and where a list of messages is meant, nothing is said of one message.
 */
function replySchema(
  asked: readonly (readonly [ComponentNode, readonly Route[]])[],
  api: ApiModel,
): DocumentNode | undefined {
  const [[input, routes] = [undefined, []], ...others] = asked;
  if (input === undefined || others.length > 0) return undefined;
  const replies = repliesOf(input)?.value;
  const [status, headers] = [findField(replies, "status"), findField(replies, "headers")];
  const type = headers?.kind === "Object" && headers.fields.find(({ name }) => /^content-type$/i.test(name));
  if (type && !/[/+]json\b/.test(literalText(type.value) ?? "")) return undefined;
  const code = status === undefined ? "200" : literalText(status);
  const responses = api.references.find(findOperation(api, routes), "responses");
  const response =
    code && (api.references.find(responses, code) ?? api.references.find(responses, `${code[0]}XX`));
  if (!response) return undefined;
  const schema = findContentSchema(api.references.find(response, "content"), /[/+]json\b/, "schema");
  return schema === undefined || findText(api.references.resolve(schema) ?? schema, "type") === "array"
    ? undefined
    : schema;
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
