// Routes requests to operations, validates them against their schemas, and sends the responses.

import type { IncomingMessage, ServerResponse } from "node:http";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { H3, type H3Event, HTTPResponse, toNodeHandler } from "h3";
import { GatewayError } from "../errors.ts";
import { toAnswerable } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { headerValues } from "../http/request-fields.ts";
import { requestIdOf } from "../http/request-origin.ts";
import { parsePath } from "../http/request-path.ts";
import type { Logger } from "../process/log.ts";
import { bodyBudget } from "../process/memory/body-budget.ts";
import { RestAnswer, refusal, refusalOf } from "./answers.ts";
import { type DescribedApi, describeOperations } from "./openapi.ts";
import type {
  Body,
  ObjectSchema,
  OperationRequest,
  RestCaller,
  RestOperation,
  RestParameter,
} from "./operation.ts";

/** The maximum number of reported errors per body. */
const mostErrors = 20;

/** Validates bodies against schemas. Compiles each schema once. */
class Validation {
  // Unknown fields are removed. Strict mode would find nothing in our schemas. Formats describe the server's fields.
  // Tests validate the schemas, as parts of the description; the schema of schemas would take longest to compile.
  readonly #ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    removeAdditional: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
  });
  readonly #compiled = new Map<ObjectSchema, ValidateFunction>();

  /** Parses and validates a body. Throws a `refusal`: 400 if it is not JSON, 422 if it does not match the schema. */
  readBody(text: string, { record, isOptional = false }: Body<unknown>): unknown {
    if (text === "" && isOptional) return {};
    const body = withoutServersOwn(parseObject(text), record.schema);
    const check = this.#compiled.get(record.schema) ?? this.#ajv.compile(record.schema);
    this.#compiled.set(record.schema, check);
    if (check(body)) return body;
    throw refusal(
      422,
      `${record.schema.title} object validation failed.`,
      describeErrors(check.errors ?? []),
    );
  }
}

/** Whether PostgreSQL cannot store a text: it accepts every character except this one. */
function isUnstorable(text: string): boolean {
  return text.includes("\0");
}

/** Parses an object. Drops members named `__proto__`: no record has them. */
function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  let holdsNull = false;
  try {
    value = JSON.parse(text, (key, inner: unknown) => {
      holdsNull ||= isUnstorable(key) || (typeof inner === "string" && isUnstorable(inner));
      return key === "__proto__" ? undefined : inner;
    });
  } catch {
    throw refusal(400, "Request body malformed.");
  }
  if (holdsNull) throw refusal(422, "Request body contains the character U+0000.");
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw refusal(422, "Request body must be an object.");
}

/** Removes read-only fields, and `null` fields, which some clients send for fields without a value. */
function withoutServersOwn(body: Record<string, unknown>, { properties }: ObjectSchema): unknown {
  const known: Readonly<Record<string, unknown>> = { ...(typeof properties === "object" ? properties : {}) };
  const kept = Object.entries(body).filter(([name, value]) => value !== null && !isReadOnly(known[name]));
  return Object.fromEntries(kept);
}

function isReadOnly(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && "readOnly" in schema && schema.readOnly === true;
}

function describeErrors(errors: readonly ErrorObject[]): readonly string[] {
  return errors.slice(0, mostErrors).map(({ instancePath, keyword, params, message }) => {
    const path = instancePath.split("/").slice(1).map(unescapePointer);
    if (keyword === "required") return `${[...path, String(params.missingProperty)].join(".")}: is missing`;
    return `${path.join(".") || "body"}: ${message ?? "is wrong"}`;
  });
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Reads query parameters according to their types. Throws a `refusal` (422) that names each one that is not valid. */
function readParameters(
  query: URLSearchParams,
  parameters: readonly RestParameter[] = [],
): ReadonlyMap<string, string | number | boolean> {
  const values = new Map<string, string | number | boolean>();
  const errors: string[] = [];
  for (const { name, schema } of parameters) {
    const [text, ...others] = query.getAll(name);
    if (text === undefined || (text === "" && others.length === 0)) continue;
    const value = others.length === 0 ? readValue(text, schema) : undefined;
    if (value === undefined) errors.push(`${name}: must be ${expected(schema)}`);
    else values.set(name, value);
  }
  if (errors.length > 0) throw refusal(422, "Query parameters validation failed.", errors);
  return values;
}

function readValue(text: string, schema: RestParameter["schema"]): string | number | boolean | undefined {
  const { type, minimum = -Infinity, maximum = Infinity, enum: texts } = schema;
  if (type === "string") return texts?.includes(text) === false || isUnstorable(text) ? undefined : text;
  if (type === "boolean") return { true: true, false: false }[text];
  const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= minimum && value <= maximum ? value : undefined;
}

function expected({ type, minimum, maximum, enum: texts }: RestParameter["schema"]): string {
  if (texts !== undefined) return `one of ${texts.join(", ")}`;
  const bounds = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`up to ${maximum}`]),
  ];
  return ["one", type, ...bounds].join(" ");
}

export interface RouterOptions<S> {
  readonly operations: readonly RestOperation<S>[];
  /** The path of the operations, such as `/api/portal`. */
  readonly path: string;
  readonly description: Omit<DescribedApi, "path">;
  /** Returns the caller or throws a `refusal`. `operation`: absent for the description and unknown routes. */
  authorise(
    request: IncomingMessage,
    operation: RestOperation<S> | undefined,
  ): RestCaller | Promise<RestCaller>;
  readonly services: S;
  /** Returns the services for a caller; `services` by default. */
  readonly servicesFor?: (caller: RestCaller) => S;
  /** The maximum size of a body, in bytes. */
  readonly maxBodyBytes: number;
  /** The maximum size of bodies with documents or messages (`isLarge`); `maxBodyBytes` by default. */
  readonly maxLargeBodyBytes?: number;
}

/** Serves requests below the path of its options. Settles when the response is sent. */
export type RestRouter = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Creates a router for operations and for their description at `/openapi.json`. All of them require authorisation. */
export function createRouter<S extends { readonly log: Logger }>(options: RouterOptions<S>): RestRouter {
  const { operations, path: served, services, maxBodyBytes, maxLargeBodyBytes = maxBodyBytes } = options;
  const app = new H3({ silent: true });
  const validation = new Validation();
  const paths = Map.groupBy(operations, ({ path }) => path);

  /** Returns a handler that sends the result of `work` to authorised callers. */
  function guarded(
    work: (request: IncomingMessage, event: H3Event, caller: RestCaller) => Promise<object>,
    find: (request: IncomingMessage) => RestOperation<S> | undefined = () => undefined,
  ) {
    return async (event: H3Event): Promise<HTTPResponse> => {
      const request = requestOf(event);
      try {
        const caller = await options.authorise(request, find(request));
        return answerOf(await work(request, event, caller));
      } catch (error) {
        return refused(toAnswerable(error, services.log, requestIdOf(request)));
      }
    };
  }

  const description = describeOperations(operations, { ...options.description, path: served });
  app.get(
    `${served}/openapi.json`,
    guarded(async () => description),
  );
  for (const [path, list] of paths) {
    const allow = list.flatMap(methodsOf).join(", ");
    const find = ({ method = "" }: IncomingMessage) => list.find((each) => methodsOf(each).includes(method));
    app.all(
      routeOf(served, path),
      guarded(async (request, event, caller) => {
        const operation = find(request);
        if (operation === undefined) {
          throw new GatewayError(405, "Method not allowed", { headers: { allow } });
        }
        const query = readParameters(event.url.searchParams, operation.parameters);
        const limit = operation.body?.isLarge === true ? maxLargeBodyBytes : maxBodyBytes;
        const text = await readText(event, operation, limit);
        const body = operation.body && validation.readBody(text, operation.body);
        const param = paramsOf(served, operation, request);
        const own = options.servicesFor?.(caller) ?? services;
        return operation.run({ ...partsOf(request, event, caller), param, query, body, text }, own);
      }, find),
    );
  }
  app.all(
    "/**",
    guarded(async () => {
      throw refusal(404, "Not found");
    }),
  );
  const handle = toNodeHandler(app);
  return async (request, response) => {
    await handle(request, response);
  };
}

/** Returns the methods of an operation. */
function methodsOf<S>({ method, alias }: RestOperation<S>): readonly string[] {
  return alias === undefined ? [method] : [method, alias];
}

/** Returns the parts of a request that operations receive in addition to parameters and body. */
function partsOf(
  request: IncomingMessage,
  event: H3Event,
  caller: RestCaller,
): Pick<OperationRequest, "organisation" | "caller" | "header" | "signal"> {
  return {
    organisation: caller.organisation,
    caller,
    header: (name) => headerValues(request, name)[0],
    signal: () => event.req.signal,
  };
}

/** Converts a path such as `/requests/{id}` to the syntax of h3: `/api/portal/requests/:id`. */
function routeOf(served: string, path: string): string {
  return served + path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Returns decoded path segments from the original URL, because h3 does not decode slashes in them. */
function paramsOf<S>(
  served: string,
  { path }: RestOperation<S>,
  { url = "" }: IncomingMessage,
): (name: string) => string {
  const [sent = ""] = url.split("?", 1);
  const { segments = [] } = parsePath(sent) ?? {};
  const pattern = `${served}${path}`.slice(1).split("/");
  return (name) => segments[pattern.indexOf(`{${name}}`)] ?? "";
}

function requestOf(event: H3Event): IncomingMessage {
  const request = event.runtime?.node?.req;
  // The listener adapts HTTP/2 requests to the interface of HTTP/1.1 requests.
  if (request !== undefined) return request as IncomingMessage;
  throw new TypeError("requests come from a server of Node");
}

/** Returns the body of operations that accept one. */
async function readText<S>(event: H3Event, { body, text }: RestOperation<S>, limit: number): Promise<string> {
  if (body === undefined && text === undefined) return "";
  const request = requestOf(event);
  const response = event.runtime?.node?.res;
  const hold = response === undefined ? bodyBudget.hold() : bodyBudget.holdUntilClosed(response);
  const bytes = await readBody(request, limit, hold);
  if (bytes instanceof GatewayError) throw bytes;
  if (bytes.length === 0 && body?.isOptional === true) return "";
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  const types = text?.types ?? ["application/json"];
  if (!types.includes(type.trim().toLowerCase())) {
    throw refusal(415, `Bodies have the type ${types.join(" or ")}.`);
  }
  return text === undefined ? bytes.toString("utf8") : decode(bytes);
}

/** Decodes a text that is stored as it was sent. Throws a 400 if it is not UTF-8. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refusal(400, "Request body malformed.", ["The body is not UTF-8."]);
  }
}

function answerOf(answer: object): HTTPResponse {
  if (!(answer instanceof RestAnswer)) return json(200, answer);
  const { status, body, headers } = answer;
  if (typeof body === "object" && !(body instanceof Uint8Array)) return json(status, body, headers);
  return new HTTPResponse(body, { status, headers: { ...safely, ...headers } });
}

/** Headers of every response, because responses contain credentials and personal records. */
const safely = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): HTTPResponse {
  return new HTTPResponse(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/json",
      ...safely,
      ...headers,
    },
  });
}

function refused(error: GatewayError): HTTPResponse {
  const { retryAfter, headers } = error;
  const after = retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter)) };
  return json(error.status, refusalOf(error), { ...after, ...headers });
}
