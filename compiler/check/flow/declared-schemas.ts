// Finds the message schemas that the components of a stream declare: `schema:` of the component, otherwise the OpenAPI
// operation that a client endpoint serves.

import type { ApiModel } from "../../model/api.ts";
import { componentsOf } from "../../model/components.ts";
import { contentOf, requestBodyOf, responsesOf } from "../../model/operation-parts.ts";
import { optionsNamed, repliesOf } from "../../model/options.ts";
import type { Route } from "../../model/routes.ts";
import { SchemaModel } from "../../model/schema-model.ts";
import type { ComponentNode, StreamNode } from "../../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../../trees/document.ts";
import { literalText } from "../../trees/fields.ts";

/**
 * The schemas of a stream's messages as nodes of the document: for an input or a processor, of the messages that it
 * produces; for an output, of those that it receives.
 */
export type DeclaredSchemas = ReadonlyMap<ComponentNode, DocumentNode>;

/** Returns the declared schemas of a stream's messages by component; `routes` are those of the stream. */
export function findDeclaredSchemas(
  stream: StreamNode,
  api: ApiModel,
  routes: readonly Route[],
): DeclaredSchemas {
  const ofComponents = Map.groupBy(routes, ({ component }) => component);
  const inputs = [...ofComponents].filter(([{ role }]) => role === "input");
  const declared = componentsOf(stream).flatMap((component) => {
    const schema =
      component.schema ??
      (component.descriptor?.answersRequests === true
        ? replySchema(inputs, api)
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

/** Returns the schema of the JSON request body of the operation that an input's route serves. */
function requestSchema(api: ApiModel, routes: readonly Route[]): DocumentNode | undefined {
  const content = requestBodyOf(findOperation(api, routes), api.references)?.content;
  return findContentSchema(content, /[/+]json\b/, "schema");
}

/**
 * Returns the message schema of the operation that an output's route serves; OpenAPI 3.2 has `itemSchema` for streams.
 */
function responseSchema(api: ApiModel, routes: readonly Route[]): DocumentNode | undefined {
  const responses = responsesOf(findOperation(api, routes), api.references);
  const content = contentOf(responses.find(({ key }) => key === "200")?.value, api.references);
  const event = findContentSchema(content, /^text\/event-stream\b/, "itemSchema");
  if (event !== undefined) return dataSchema(event, api);
  const stream = findContentSchema(content, /^text\/event-stream\b/, "schema");
  // Before OpenAPI 3.2, `type: string` describes the text of all events.
  if (stream !== undefined && onlyTypeOf(stream, api) === "string") return undefined;
  return stream ?? findContentSchema(content, /[/+]json\b/, "schema");
}

/**
 * Returns the schema of the message in the events that an `itemSchema` describes. In OpenAPI 3.2 an item has the fields
 * of an event, and its `data` is a string with a `contentSchema`. An `itemSchema` that describes the message itself is
 * accepted too.
 */
function dataSchema(item: DocumentNode, api: ApiModel): DocumentNode | undefined {
  const { references } = api;
  const event = new SchemaModel(references.resolve(item));
  if (!event.properties.every(({ key }) => eventFields.has(key))) return item;
  const data = event.property("data");
  const type = data && onlyTypeOf(data, api);
  if (data === undefined || (type !== undefined && type !== "string")) return item;
  const { contentSchema } = new SchemaModel(references.resolve(data));
  return contentSchema && references.resolve(contentSchema);
}

/** The fields of a server-sent event. */
const eventFields: ReadonlySet<string> = new Set(["data", "event", "id", "retry"]);

const replyOptions = optionsNamed(["status", "headers"]);

/**
 * Returns the JSON schema that one operation declares for its reply; `undefined` if several endpoints wait for replies,
 * if queries choose the status or the type, or if the reply is a list of messages.
 */
function replySchema(
  inputs: readonly (readonly [ComponentNode, readonly Route[]])[],
  api: ApiModel,
): DocumentNode | undefined {
  const [[input, routes] = [undefined, []], ...others] = inputs;
  if (input === undefined || others.length > 0) return undefined;
  const replies = repliesOf(input);
  const options = replies && replyOptions(replies);
  const type = options?.headers.fields.find(({ name }) => /^content-type$/i.test(name));
  if (type && !/[/+]json\b/.test(literalText(type.value) ?? "")) return undefined;
  const code = options?.status.text;
  if (!code) return undefined;
  const responses = responsesOf(findOperation(api, routes), api.references);
  const response = [code, `${code[0]}XX`].flatMap(
    (each) => responses.find(({ key }) => key === each) ?? [],
  )[0];
  if (response === undefined) return undefined;
  const schema = findContentSchema(contentOf(response.value, api.references), /[/+]json\b/, "schema");
  return schema === undefined || onlyTypeOf(schema, api) === "array" ? undefined : schema;
}

/** Returns the type that a schema names; `undefined` for a list of types. */
function onlyTypeOf(schema: DocumentNode, { references }: ApiModel): string | undefined {
  return findText(new SchemaModel(references.resolve(schema) ?? schema).type);
}

/** Returns the operation that a route serves. Paths of OpenAPI and of routes both exclude the listen path. */
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

/** Returns the schema of the first matching media type in `content`. */
export function findContentSchema(
  content: DocumentNode | undefined,
  type: RegExp,
  keyword: "schema" | "itemSchema",
): DocumentNode | undefined {
  if (content?.kind !== "map") return undefined;
  const entry = content.entries.find(({ key }) => type.test(key));
  return findNode(entry?.value, keyword);
}
