// Requests to the operations, and their answers back.

import type { IncomingMessage, ServerResponse } from "node:http";
import { H3, type H3Event, HTTPResponse, toNodeHandler } from "h3";
import { toAnswerable } from "../answer.ts";
import { GatewayError } from "../errors.ts";
import { readBody } from "../read-body.ts";
import type { Access } from "./access.ts";
import { refusal, refusalOf } from "./answers.ts";
import { describeOperations } from "./openapi.ts";
import type { Operation, Services } from "./operation.ts";
import { readParameters, Validation } from "./validation.ts";

/** Where the portal is served. */
export const portalPath = "/api/portal";

export interface RouterOptions {
  readonly operations: readonly Operation[];
  readonly access: Access;
  readonly services: Services;
  /** Bytes. */
  readonly maxBodyBytes: number;
}

/** Serves requests whose path is below `portalPath`; settles when the answer is given. */
export type PortalRouter = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A router for operations, and for `/openapi.json`, which describes them. Nothing is answered without a token. */
export function createRouter({ operations, access, services, maxBodyBytes }: RouterOptions): PortalRouter {
  const app = new H3({ silent: true });
  const validation = new Validation();
  const paths = Map.groupBy(operations, ({ path }) => path);

  /** Gives what `work` answers to those whose token is known. */
  function guarded(
    work: (request: IncomingMessage, event: H3Event, organisation: string) => Promise<object>,
  ) {
    return async (event: H3Event): Promise<HTTPResponse> => {
      const request = requestOf(event);
      try {
        const organisation = access.organisationOf(request);
        if (organisation === undefined) throw refusal(401, "Not authorised");
        return json(200, await work(request, event, organisation));
      } catch (error) {
        return refused(toAnswerable(error, services.log, idOf(request)));
      }
    };
  }

  const description = describeOperations(operations);
  app.get(
    `${portalPath}/openapi.json`,
    guarded(async () => description),
  );
  for (const [path, list] of paths) {
    const allow = list.flatMap(methodsOf).join(", ");
    app.all(
      routeOf(path),
      guarded(async (request, event, organisation) => {
        const operation = list.find((each) => methodsOf(each).includes(request.method ?? ""));
        if (operation === undefined) {
          throw new GatewayError(405, "Method not allowed", { headers: { allow } });
        }
        const query = readParameters(event.url.searchParams, operation.parameters);
        const body =
          operation.body &&
          validation.readBody(await readText(request, operation, maxBodyBytes), operation.body);
        const param = (name: string) => event.context.params?.[name] ?? "";
        return operation.run({ organisation, param, query, body }, services);
      }),
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
function methodsOf({ method, alias }: Operation): readonly string[] {
  return alias === undefined ? [method] : [method, alias];
}

/** `/requests/{id}` as h3 has it: `/api/portal/requests/:id`. */
function routeOf(path: string): string {
  return portalPath + path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function requestOf(event: H3Event): IncomingMessage {
  const request = event.runtime?.node?.req;
  // The listener gives requests of HTTP/2 the form of those of HTTP/1.1.
  if (request !== undefined) return request as IncomingMessage;
  throw new TypeError("the portal is served by Node");
}

async function readText(request: IncomingMessage, { body }: Operation, limit: number): Promise<string> {
  const bytes = await readBody(request, limit);
  if (bytes instanceof GatewayError) throw bytes;
  if (bytes.length === 0 && body?.isOptional === true) return "";
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/json") {
    throw refusal(415, "Bodies have the type application/json.");
  }
  return bytes.toString("utf8");
}

function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): HTTPResponse {
  return new HTTPResponse(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/json",
      // Answers hold credentials and records of people.
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

function refused(error: GatewayError): HTTPResponse {
  const { retryAfter, headers } = error;
  const after = retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter)) };
  return json(error.status, refusalOf(error), { ...after, ...headers });
}

/** The listener has given each request an id. */
function idOf({ headers }: IncomingMessage): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" ? id : undefined;
}
