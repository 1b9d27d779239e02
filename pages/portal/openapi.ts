// What the page reads of OpenAPI and AsyncAPI documents; documents are written by others, so nothing of them is certain.

/** A part of a document, of any shape. */
export type Part = Readonly<Record<string, unknown>>;

/** An operation of an OpenAPI document, or a channel of an AsyncAPI document. */
export interface DocumentedOperation {
  readonly verb: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly DocumentedParameter[];
  /** What is sent, and what comes back by status. */
  readonly bodies: readonly { readonly title: string; readonly schema: Part | undefined }[];
  /** A sample of what is sent; empty where nothing is. */
  readonly sample: string;
}

/** A parameter of an operation. */
export interface DocumentedParameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly type: string;
}

/** A document as the page shows it. */
export interface ReadDocument {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Path of the first server, where it has one. */
  readonly base: string;
  readonly operations: readonly DocumentedOperation[];
}

const verbs = ["get", "post", "put", "patch", "delete", "head", "options"];
/** Schemas may name themselves. */
const deepest = 8;

/** Reads a document; throws where it is no JSON object. */
export function readDocument(text: string): ReadDocument {
  const root = partOf(JSON.parse(text));
  const info = partOf(root.info);
  const [server] = Array.isArray(root.servers) ? root.servers : Object.values(partOf(root.servers));
  return {
    title: textOf(info.title),
    version: textOf(info.version),
    description: textOf(info.description),
    base: pathOf(textOf(partOf(server).url) || textOf(partOf(server).pathname)),
    operations: root.asyncapi === undefined ? readPaths(root) : readChannels(root),
  };
}

function readPaths(root: Part): readonly DocumentedOperation[] {
  return Object.entries(partOf(root.paths)).flatMap(([path, item]) => {
    const shared = partsOf(partOf(item).parameters);
    return verbs.flatMap((verb) => {
      const operation = partOf(item)[verb];
      if (operation === undefined) return [];
      const own = partOf(operation);
      const sent = resolve(root, own.requestBody);
      const schema = schemaIn(root, sent);
      const answers = Object.entries(partOf(own.responses)).map(([status, response]) => {
        const answer = resolve(root, response);
        return { title: `${status} ${textOf(answer.description)}`.trim(), schema: schemaIn(root, answer) };
      });
      return [
        {
          verb: verb.toUpperCase(),
          path,
          summary: textOf(own.summary),
          description: textOf(own.description),
          parameters: [...shared, ...partsOf(own.parameters)].map((each) => parameterOf(resolve(root, each))),
          bodies: [...(schema === undefined ? [] : [{ title: "Request", schema }]), ...answers],
          sample: schema === undefined ? "" : JSON.stringify(sampleOf(root, schema), undefined, 2),
        },
      ];
    });
  });
}

function readChannels(root: Part): readonly DocumentedOperation[] {
  const operations = Object.values(partOf(root.operations)).map(partOf);
  return Object.entries(partOf(root.channels)).map(([name, channel]) => {
    const own = partOf(channel);
    const messages = Object.values(partOf(own.messages)).map((message) => resolve(root, message));
    const actions = operations
      .filter((operation) => textOf(partOf(operation.channel).$ref) === `#/channels/${name}`)
      .map(({ action }) => textOf(action));
    return {
      verb: actions.join(", ") || "channel",
      path: textOf(own.address) || name,
      summary: textOf(own.title) || textOf(own.summary),
      description: textOf(own.description),
      parameters: Object.entries(partOf(own.parameters)).map(([key, parameter]) => ({
        ...parameterOf(resolve(root, parameter)),
        name: key,
        place: "path",
      })),
      bodies: messages.map((message) => ({
        title: `Message ${textOf(message.name) || textOf(message.title)}`.trim(),
        schema: message.payload === undefined ? undefined : resolve(root, message.payload),
      })),
      sample: "",
    };
  });
}

function parameterOf(parameter: Part): DocumentedParameter {
  return {
    name: textOf(parameter.name),
    place: textOf(parameter.in),
    isRequired: parameter.required === true,
    description: textOf(parameter.description),
    type: typeOf(partOf(parameter.schema)),
  };
}

/** The type of a schema in a word or two. */
export function typeOf(schema: Part): string {
  const { type, format, enum: choices } = schema;
  const name = Array.isArray(type)
    ? type.join(" or ")
    : textOf(type) || (schema.properties ? "object" : "any");
  const values = Array.isArray(choices) ? `: ${choices.map(String).join(", ")}` : "";
  return `${name}${typeof format === "string" ? ` (${format})` : ""}${values}`;
}

function schemaIn(root: Part, holder: Part): Part | undefined {
  const [media] = Object.values(partOf(holder.content));
  const schema = partOf(media).schema ?? holder.schema;
  return schema === undefined ? undefined : resolveAll(root, partOf(schema), 0);
}

/** A schema with what it refers to in it, to a depth. */
function resolveAll(root: Part, schema: Part, depth: number): Part {
  const own = resolve(root, schema);
  if (depth >= deepest) return {};
  const properties = Object.entries(partOf(own.properties)).map(([name, each]) => [
    name,
    resolveAll(root, partOf(each), depth + 1),
  ]);
  return {
    ...own,
    ...(own.properties !== undefined && { properties: Object.fromEntries(properties) }),
    ...(own.items !== undefined && { items: resolveAll(root, partOf(own.items), depth + 1) }),
  };
}

/** A value that the schema takes. */
function sampleOf(root: Part, schema: Part): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [type] = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (type === "object" || schema.properties !== undefined) {
    const entries = Object.entries(partOf(schema.properties));
    return Object.fromEntries(entries.map(([name, each]) => [name, sampleOf(root, partOf(each))]));
  }
  if (type === "array") return [sampleOf(root, partOf(schema.items))];
  return type === "integer" || type === "number"
    ? 0
    : type === "boolean"
      ? false
      : type === "null"
        ? null
        : "text";
}

/** What a reference within the document leads to. */
function resolve(root: Part, value: unknown, depth = 0): Part {
  const part = partOf(value);
  if (typeof part.$ref !== "string" || depth >= deepest) return part;
  const names = part.$ref.replace(/^#\//, "").split("/");
  const found = names.reduce<unknown>((at, name) => {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    return Object.hasOwn(partOf(at), key) ? partOf(at)[key] : undefined;
  }, root);
  return resolve(root, found, depth + 1);
}

/** The value where it is an object, else an empty one. */
export function partOf(value: unknown): Part {
  return typeof value === "object" && value !== null ? (value as Part) : {};
}

function partsOf(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value.map(partOf) : [];
}

/** The value where it is a text, else an empty one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function pathOf(url: string): string {
  const path = URL.parse(url, location.origin)?.pathname ?? "/";
  return path.replace(/\/$/, "");
}
