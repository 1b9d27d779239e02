// One request on its way through the gateway.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiIdentity } from "../api-identity.ts";
import type { Caller } from "../caller.ts";
import type { CorsPolicy } from "../cors.ts";
import { GatewayError } from "../errors.ts";
import type { MessageGates } from "../message-gates.ts";
import type { ClientCertificate, RequestOrigin } from "../request-origin.ts";
import { parsePath, type RequestPath } from "../request-path.ts";
import type { FoundApi, StreamRoute } from "../router.ts";
import type { Step } from "./chain.ts";

/** An API at work: everything that its requests need, so that one which found it ends under it. */
export interface ServedApi {
  readonly definition: ApiIdentity;
  /** Which pages of other origins may call it. */
  readonly cors: CorsPolicy | undefined;
  /** What requests pass before its streams and its upstream see them. */
  readonly guards: Step;
  /** Where requests go that no stream route takes. */
  readonly upstream: Step | undefined;
}

/** How the client is to be answered. */
export type Transport =
  | { readonly kind: "http"; readonly response: ServerResponse }
  | { readonly kind: "websocket"; readonly socket: Duplex; readonly head: Buffer };

/** A request, with what the steps it has passed found out. */
export interface Call {
  readonly request: IncomingMessage;
  readonly transport: Transport;
  readonly verb: string;
  readonly path: RequestPath;
  /** With its `?`, empty when there is none; authentication takes credentials off it. */
  query: string;
  /** The absolute address that was asked for, as trusted proxies name it; credentials are taken off it, too. */
  readonly url: URL;
  /** The client's, by the same word. */
  readonly remoteAddress: string;
  /** Names the request in logs, answers and messages; also its header `X-Request-Id`. */
  readonly requestId: string;
  /** Of the client, where the listener speaks TLS and asks for one. */
  readonly certificate: ClientCertificate | undefined;
  /** Set by the step that matches listen paths. */
  api: FoundApi<ServedApi> | undefined;
  /** Set by the step that serves streams. */
  route?: StreamRoute;
  /** What somebody else told a client that asked for a socket, where it was passed on. */
  passedStatus?: number;
  /** Set by the step that authenticates. */
  caller?: Caller;
  /** Largest body its API takes, in bytes, where that is less than what the gateway takes. */
  maxBodyBytes?: number;
  /** Holds its messages to limits, where it becomes a socket or an event stream. */
  messages?: MessageGates;
  /** Set by the step that validates, where it had to read the body: unpacked, and nothing is left to read. */
  body?: Buffer;
}

/** The largest body to accept, where the gateway accepts `most` bytes. */
export function bodyLimit({ maxBodyBytes }: Call, most: number): number {
  return Math.min(maxBodyBytes ?? most, most);
}

/** Origin form, or the absolute form that clients of proxies send. */
const targetPattern = /^(?:https?:\/\/([^/?#]*))?(\/[^?#]*)(\?[^#]*)?$/i;
const hostPattern = /^[\w.\-:[\]]*$/;

function isSameHost(authority: string, host: string | undefined): boolean {
  return authority.toLowerCase() === host?.toLowerCase();
}

/** Reads the head of a request that came from `origin`; a `GatewayError` says why it cannot be served. */
export function createCall(
  request: IncomingMessage,
  transport: Transport,
  origin: RequestOrigin,
  requestId: string,
): Call | GatewayError {
  const [, authority, pathText, query = ""] = targetPattern.exec(request.url ?? "") ?? [];
  const path = pathText === undefined ? undefined : parsePath(pathText);
  const { host, scheme, remoteAddress } = origin;
  // Whoever stands in between may have gone by the one or the other (RFC 9112, section 3.2.2).
  const isOfOtherHost = authority !== undefined && !isSameHost(authority, request.headers.host);
  if (pathText === undefined || path === undefined || !hostPattern.test(host) || isOfOtherHost) {
    return new GatewayError(400, "Bad request");
  }
  const url = URL.parse(`${scheme}://${host || "localhost"}${pathText}${query}`);
  if (url === null) return new GatewayError(400, "Bad request");
  return {
    request,
    transport,
    verb: request.method ?? "",
    path,
    query,
    url,
    remoteAddress,
    requestId,
    get certificate() {
      return origin.certificate;
    },
    api: undefined,
  };
}
