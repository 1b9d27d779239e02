// Sends what no stream route took to the upstream of the API.

import type { IncomingMessage } from "node:http";
import { H3, HTTPError, HTTPResponse, proxyRequest, toNodeHandler } from "h3";
import { errorAnswer } from "../answer.ts";
import { GatewayError } from "../errors.ts";
import type { Logger } from "../log.ts";
import { printPath } from "../request-path.ts";
import { bodyLimit, type Call } from "./call.ts";
import type { Step } from "./chain.ts";

export interface UpstreamOptions {
  readonly log: Logger;
  readonly maxBodyBytes: number;
}

/** What a client claims about where it comes from; the gateway tells the upstream what it saw itself. */
const claimedHeaders = [
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
];

/**
 * Streams the request to the upstream and its answer back: the path below the listen path, the query as
 * sent, no hop-by-hop headers. Without an upstream it is 404, with one that cannot be reached 502.
 */
export function upstream({ log, maxBodyBytes }: UpstreamOptions): Step {
  const calls = new WeakMap<IncomingMessage, Call>();
  const app = new H3({ silent: true });
  app.all("/**", async (event) => {
    const request = event.runtime?.node?.req;
    const call = request === undefined ? undefined : calls.get(request as IncomingMessage); // the one given below
    const base = call?.api?.api.upstream;
    if (call?.api === undefined || base === undefined) return toResponse(new GatewayError(404, "not found"));
    const target = `${base}${printPath(call.api.rest)}${call.query}`;
    const isOpenEnded = call.request.headers["transfer-encoding"] !== undefined;
    const limited = isOpenEnded ? limitBody(event.req.body, bodyLimit(call, maxBodyBytes)) : undefined;
    try {
      const answer = await proxyRequest(event, target, {
        ...(limited && { fetchOptions: { body: limited.body } }),
        headers: forwardedHeaders(call),
        filterHeaders: claimedHeaders,
        locationRewrite: { [`${base}/`]: `${call.url.origin}${call.api.listenPath}` },
      });
      if (call.api.api.cors !== undefined) keepPolicy(answer, call);
      return answer;
    } catch (error) {
      return toResponse(limited?.isExceeded() ? tooLarge() : explain(error, call, log));
    }
  });
  const handle = toNodeHandler(app);

  return (call) => {
    const known = call.api?.api.upstream !== undefined;
    if (!known) return new GatewayError(404, "not found");
    if (call.transport.kind === "websocket") {
      return new GatewayError(501, "WebSocket upgrades are not passed to the upstream");
    }
    if (call.verb === "TRACE" || call.verb === "CONNECT") return new GatewayError(501, "Not implemented");
    if (Number(call.request.headers["content-length"] ?? 0) > bodyLimit(call, maxBodyBytes))
      return tooLarge();
    calls.set(call.request, call);
    return Promise.resolve(handle(call.request, call.transport.response)).then(() => "done");
  };
}

function forwardedHeaders(call: Call): Record<string, string> {
  return {
    // Identity: what is streamed through need not be packed and unpacked in between.
    "accept-encoding": "identity",
    "x-forwarded-for": call.remoteAddress,
    "x-forwarded-host": call.url.host,
    "x-forwarded-proto": "http",
  };
}

/** The API's policy has said who may read the answer; what the upstream says of that would take its place. */
function keepPolicy({ headers }: HTTPResponse, { transport }: Call): void {
  const told = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  for (const name of told) headers.delete(name);
  const vary = transport.kind === "http" ? transport.response.getHeader("vary") : undefined;
  if (vary !== undefined && headers.has("vary")) headers.append("vary", String(vary));
}

function explain(error: unknown, call: Call, log: Logger): GatewayError {
  const status = HTTPError.isError(error) ? error.status : 502;
  if (status === 400) return new GatewayError(400, "Bad request");
  log.warn("upstream not reached", { api: call.api?.api.definition.id, error: reasonOf(error) });
  return new GatewayError(502, "Upstream is not reachable");
}

/** What h3 wraps: its error's cause holds what went wrong beside the answer it would give. */
function reasonOf(error: unknown): unknown {
  const details = HTTPError.isError(error) ? error.cause : undefined;
  return typeof details === "object" && details !== null && "cause" in details ? details.cause : error;
}

function tooLarge(): GatewayError {
  return new GatewayError(413, "Request body is too large");
}

/** A body of unknown length that fails once it is over the limit; the failure cuts the upstream's request. */
function limitBody(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): { readonly body: ReadableStream<Uint8Array>; isExceeded(): boolean } | undefined {
  if (body === null) return undefined;
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > limit) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
  return { body: body.pipeThrough(counter), isExceeded: () => size > limit };
}

function toResponse(error: GatewayError): HTTPResponse {
  const { status, headers, body } = errorAnswer(error);
  return new HTTPResponse(body, { status, headers });
}
