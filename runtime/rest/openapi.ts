// An interface described by OpenAPI 3.1, from the same values that serve it.

import type { AnswerShape, Operation, Parameter, TextBody } from "./operation.ts";
import type { RecordSchema } from "./record-schema.ts";

/** Statuses of refusals that every operation may give. */
export const commonStatuses: readonly number[] = [401, 503];
/** Those of operations with a body. */
const bodyStatuses: readonly number[] = [400, 413, 415, 422];
const textStatuses: readonly number[] = [400, 413, 415];

const reasons: Readonly<Record<number, string>> = {
  400: "The request cannot be done as it is, or is no JSON.",
  401: "The access token is missing or not known.",
  403: "This is not allowed.",
  404: "There is no such record.",
  409: "Something with that name is there already.",
  412: "It has been changed since the client read it: `If-Match` names another state.",
  413: "The body is too large.",
  415: "The body has a type that is not taken here.",
  422: "Values are not of the types asked for; `Errors` has each.",
  429: "There were too many attempts.",
  503: "The store is not available.",
};

/** What is described. */
export interface Described {
  readonly title: string;
  readonly description: string;
  /** Where the operations are served. */
  readonly path: string;
}

/** The description of operations. */
export function describeOperations<S>(
  operations: readonly Operation<S>[],
  { title, description, path: served }: Described,
): object {
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
    security: [{ token: [] }],
    paths: Object.fromEntries(
      [...paths].map(([path, list]) => [
        path,
        Object.fromEntries(list.map((each) => [each.method.toLowerCase(), describe(each)])),
      ]),
    ),
    components: {
      securitySchemes: {
        token: {
          type: "apiKey",
          in: "header",
          name: "authorization",
          description: "An access token, as it is or after `Bearer `.",
        },
      },
      schemas: {
        Written: writtenSchema,
        Refused: refusedSchema,
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
      description: "Each thing that is wrong.",
    },
  },
};

function recordsOf<S>({ body, answer }: Operation<S>): readonly RecordSchema[] {
  return [
    ...(body === undefined ? [] : [body.record]),
    ...(answer.kind === "record" || answer.kind === "list" ? [answer.record] : []),
  ];
}

function describe<S>(operation: Operation<S>): object {
  const { operationId, tag, summary, alias, path, parameters = [] } = operation;
  const { body, text, answer, refusals = [] } = operation;
  const statuses = [...commonStatuses, ...(parameters.length > 0 ? [422] : []), ...refusals];
  const ofBody = body !== undefined ? bodyStatuses : text !== undefined ? textStatuses : [];
  const all = new Set([...statuses, ...ofBody]);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(alias !== undefined && { description: `Also taken by the method \`${alias}\`.` }),
    parameters: [...pathParameters(path), ...parameters.map(describeParameter)],
    ...(body !== undefined && {
      requestBody: {
        required: body.isOptional !== true,
        content: { "application/json": { schema: reference(body.record.name) } },
      },
    }),
    ...(text !== undefined && { requestBody: describeText(text) }),
    responses: {
      200: describeAnswer(answer),
      ...Object.fromEntries(
        [...all]
          .toSorted((a, b) => a - b)
          .map((status) => [
            status,
            { description: reasons[status] ?? "Refused.", ...content(reference("Refused")) },
          ]),
      ),
    },
  };
}

function describeText({ description, types }: TextBody): object {
  return {
    required: true,
    description,
    content: Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }])),
  };
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function describeParameter({ name, description, schema }: Parameter): object {
  return { name, in: "query", description, schema };
}

function describeAnswer(answer: AnswerShape): object {
  switch (answer.kind) {
    case "written":
      return { description: answer.message, ...content(reference("Written")) };
    case "record":
      return { description: `${answer.record.schema.title}.`, ...content(reference(answer.record.name)) };
    case "list":
      return { description: "A page of them.", ...content(listOf(answer.record)) };
    default:
      return { description: answer.description, ...content(answer.schema) };
  }
}

function listOf({ name }: RecordSchema): object {
  return {
    type: "object",
    required: ["Data", "Pages"],
    properties: {
      Data: { type: "array", items: reference(name) },
      Pages: { type: "integer", description: "How many pages there are; 0 where all was asked for at once." },
    },
  };
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

function content(schema: object): object {
  return { content: { "application/json": { schema } } };
}
