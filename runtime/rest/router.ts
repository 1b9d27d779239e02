// Requests to the operations, and their answers back.

import type { IncomingMessage, ServerResponse } from "node:http";
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
import { type Described, describeOperations } from "./openapi.ts";
import type { OperationRequest, RestCaller, RestOperation } from "./operation.ts";
import { readParameters, Validation } from "./validation.ts";

export interface RouterOptions<S> {
  readonly operations: readonly RestOperation<S>[];
  /** Where they are served: `/api/portal`. */
  readonly path: string;
  readonly description: Omit<Described, "path">;
  /** Gives who asks; throws a `refusal` for who may not. Without an operation it is asked for the interface itself. */
  authorise(
    request: IncomingMessage,
    operation: RestOperation<S> | undefined,
  ): RestCaller | Promise<RestCaller>;
  readonly services: S;
  /** Those that an operation works with for a caller; `services` by default. */
  readonly servicesFor?: (caller: RestCaller) => S;
  /** Bytes. */
  readonly maxBodyBytes: number;
  /** The same for bodies that carry documents or messages (`isLarge`); as `maxBodyBytes` by default. */
  readonly maxLargeBodyBytes?: number;
}

/** Serves requests whose path is below that of its options; settles when the answer is given. */
export type RestRouter = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A router for operations, and for `/openapi.json`, which describes them. Nothing is answered without a token. */
export function createRouter<S extends { readonly log: Logger }>(options: RouterOptions<S>): RestRouter {
  const { operations, path: served, services, maxBodyBytes, maxLargeBodyBytes = maxBodyBytes } = options;
  const app = new H3({ silent: true });
  const validation = new Validation();
  const paths = Map.groupBy(operations, ({ path }) => path);

  /** Gives what `work` answers to those whose token is known. */
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

/** The methods that an operation is asked by. */
function methodsOf<S>({ method, alias }: RestOperation<S>): readonly string[] {
  return alias === undefined ? [method] : [method, alias];
}

/** What operations see of a request beside its parameters and its body. */
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

/** `/requests/{id}` as h3 has it: `/api/portal/requests/:id`. */
function routeOf(served: string, path: string): string {
  return served + path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Parts of the path as they were sent, decoded: h3 leaves encoded slashes in them as they are. */
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
  // The listener gives requests of HTTP/2 the form of those of HTTP/1.1.
  if (request !== undefined) return request as IncomingMessage;
  throw new TypeError("requests come from a server of Node");
}

/** The body of operations that take one. */
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

/** A text that is kept as it was sent must be one. */
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

/** On every answer: they hold credentials and records of people. */
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
