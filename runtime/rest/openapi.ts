// Generates the OpenAPI 3.1 description of an API from the same values that serve it.

import type {
  AnswerShape,
  ObjectSchema,
  RecordSchema,
  RestOperation,
  RestParameter,
  TextBody,
} from "./operation.ts";

/** Error statuses of every operation, including those for URLs that the listener cannot parse. */
export const commonStatuses: readonly number[] = [400, 401, 503];
/** Error statuses of operations with a body. */
const bodyStatuses: readonly number[] = [400, 413, 415, 422];
const textStatuses: readonly number[] = [400, 413, 415];

const reasons: Readonly<Record<number, string>> = {
  400: "The request is invalid, or is not JSON.",
  401: "The access token is missing or unknown.",
  403: "This is not allowed.",
  404: "There is no such record.",
  409: "An object with that name already exists.",
  412: "The object has changed since the client read it: `If-Match` does not match.",
  413: "The body is too large.",
  415: "The content type of the body is not supported.",
  422: "Values do not have the expected types; `Errors` lists them.",
  429: "Too many attempts.",
  503: "The store is not available.",
};

/** The API to describe. */
export interface DescribedApi {
  readonly title: string;
  readonly description: string;
  /** The path of the operations. */
  readonly path: string;
  /** The credential of callers. If absent, an access token; if `undefined`, none. */
  readonly credential?: CredentialScheme | undefined;
  /** Additional error statuses of every operation. */
  readonly refusals?: readonly number[];
}

/** A credential, as OpenAPI describes it (OpenAPI 3.1, 4.8.27). */
export interface CredentialScheme {
  readonly type: "apiKey";
  readonly in: "header" | "cookie";
  readonly name: string;
  readonly description: string;
}

const tokenScheme: CredentialScheme = {
  type: "apiKey",
  in: "header",
  name: "authorization",
  description: "An access token, with or without the prefix `Bearer `.",
};

/** Returns the OpenAPI description of operations. */
export function describeOperations<S>(
  operations: readonly RestOperation<S>[],
  described: DescribedApi,
): object {
  const { title, description, path: served, refusals = [] } = described;
  const credential = "credential" in described ? described.credential : tokenScheme;
  const scheme = credential?.in === "cookie" ? "session" : "token";
  const records = operations.flatMap(recordsOf);
  const paths = Map.groupBy(operations, ({ path }) => path);
  return {
    openapi: "3.1.1",
    info: {
      title,
      version: "1",
      description,
    },
    servers: [{ url: served }],
    security: credential === undefined ? [] : [{ [scheme]: [] }],
    paths: Object.fromEntries(
      [...paths].map(([path, list]) => [
        path,
        Object.fromEntries(list.map((each) => [each.method.toLowerCase(), describe(each, refusals)])),
      ]),
    ),
    components: {
      ...(credential !== undefined && { securitySchemes: { [scheme]: credential } }),
      schemas: {
        Written: writtenSchema,
        Refused: refusedSchema,
        Unreadable: unreadableSchema,
        ...Object.fromEntries(operations.flatMap(bodyOf)),
        ...Object.fromEntries(records.map(({ name, schema }) => [name, schema])),
      },
    },
  };
}

const writtenSchema = {
  type: "object",
  required: ["Status", "Message", "Meta"],
  properties: { Status: { const: "OK" }, Message: { type: "string" }, Meta: { type: "null" } },
};

const refusedSchema = {
  type: "object",
  required: ["Status", "Message", "Meta"],
  properties: {
    Status: { const: "Error" },
    Message: { type: "string" },
    Meta: { type: "null" },
    Errors: {
      type: "array",
      items: { type: ["string", "object"] },
      description: "All errors.",
    },
  },
};

/** The error response of the listener, before an operation is known. */
const unreadableSchema = {
  type: "object",
  required: ["error"],
  properties: { error: { type: "string" } },
};

/**
 * Returns the schema of an accepted body: it may contain unknown fields and fields without a value, which are ignored.
 */
function bodyOf<S>({ body }: RestOperation<S>): readonly (readonly [string, object])[] {
  return body === undefined ? [] : [[bodyName(body.record), takenBody(body.record.schema)]];
}

function bodyName({ name }: RecordSchema): string {
  return `${name}Body`;
}

function takenBody(schema: ObjectSchema): object {
  const { properties, ...rest } = withUnknownFields(schema);
  const fields = typeof properties === "object" && properties !== null ? properties : {};
  const { required = [] } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const taken = Object.entries(fields).map(([name, each]: [string, unknown]) => {
    const isReadOnly = typeof each === "object" && each !== null && "readOnly" in each;
    // Read-only fields are ignored, whatever their value.
    if (isReadOnly) return [name, { description: "Passed over." }];
    return [name, needed.has(name) ? each : { anyOf: [each, { type: "null" }] }];
  });
  return { ...rest, properties: Object.fromEntries(taken) };
}

/** Returns the schema without `additionalProperties: false`, on every level. */
function withUnknownFields<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === "additionalProperties" && value === false ? undefined : value,
  );
}

function recordsOf<S>({ answer }: RestOperation<S>): readonly RecordSchema[] {
  return [...(answer.kind === "record" || answer.kind === "list" ? [answer.record] : [])];
}

function describe<S>(operation: RestOperation<S>, common: readonly number[]): object {
  const { operationId, tag, summary, alias, path, parameters = [] } = operation;
  const { body, text, answer, isTagged = false, refusals = [] } = operation;
  const statuses = [...commonStatuses, ...common, ...(parameters.length > 0 ? [422] : []), ...refusals];
  const ofBody = body !== undefined ? bodyStatuses : text !== undefined ? textStatuses : [];
  const all = new Set([...statuses, ...ofBody]);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(alias !== undefined && { description: `Also available with the method \`${alias}\`.` }),
    parameters: [
      ...pathParameters(path),
      ...parameters.map(describeParameter),
      ...(refusals.includes(412) ? [ifMatchParameter] : []),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: body.isOptional !== true,
        content: { "application/json": { schema: reference(bodyName(body.record)) } },
      },
    }),
    ...(text !== undefined && { requestBody: describeText(text) }),
    responses: {
      200: { ...describeAnswer(answer), ...(isTagged && { headers: tagHeaders }) },
      ...Object.fromEntries(
        [...all]
          .toSorted((a, b) => a - b)
          .map((status) => [
            status,
            { description: reasons[status] ?? "Refused.", ...content(refusedAs(status)) },
          ]),
      ),
      ...(isTagged && { 304: { description: "The object matches `If-None-Match`." } }),
    },
  };
}

/** Returns the schema of an error response. The listener also responds with 400. */
function refusedAs(status: number): object {
  return status === 400 ? { anyOf: [reference("Refused"), reference("Unreadable")] } : reference("Refused");
}

function describeText({ description, types }: TextBody): object {
  return {
    required: true,
    description,
    content: Object.fromEntries(types.map((type) => [type, { schema: schemaOfText(type) }])),
  };
}

/** Returns the schema of the text, or of a form that contains it. */
function schemaOfText(type: string): object {
  const text = { type: "string" };
  if (type !== "multipart/form-data") return text;
  return { type: "object", properties: { file: text }, required: ["file"], additionalProperties: false };
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1, pattern: "^[^\\u0000-\\u001f\\u007f\\\\]+$" },
  }));
}

const tagHeaders = {
  ETag: { description: "Identifies the state of the object.", schema: { type: "string" } },
};

const ifMatchParameter = {
  name: "if-match",
  in: "header",
  description: "The `ETag` of the object as it was read.",
  schema: { type: "string" },
};

function describeParameter({ name, description, schema }: RestParameter): object {
  return { name, in: "query", description, allowEmptyValue: true, schema };
}

function describeAnswer(answer: AnswerShape): object {
  switch (answer.kind) {
    case "written":
      return { description: answer.message, ...content(reference("Written")) };
    case "record":
      return { description: `${answer.record.schema.title}.`, ...content(reference(answer.record.name)) };
    case "list":
      return { description: "One page of the list.", ...content(listOf(answer.record)) };
    default:
      return { description: answer.description, ...content(answer.schema, answer.types) };
  }
}

function listOf({ name }: RecordSchema): object {
  return {
    type: "object",
    required: ["Data", "Pages"],
    properties: {
      Data: { type: "array", items: reference(name) },
      Pages: { type: "integer", description: "Number of pages; 0 if all records were requested." },
    },
  };
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

function content(schema: object, types: readonly string[] = ["application/json"]): object {
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}
