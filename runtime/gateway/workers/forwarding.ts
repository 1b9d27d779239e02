// Forwards requests for streams that run once from the worker that accepted them to the first worker. Requests and
// responses are passed on unchanged.

import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { GatewayError } from "../../errors.ts";
import type { ApiIdentity, Call, ChainStep, StepResult } from "../../http/call.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { crypto } from "../../process/builtins.ts";

/** The header with the origin of a forwarded request; workers trust it from no other source. */
const originHeader = "x-sluice-origin";

/** A step that passes requests on, and a function that closes its connections. */
export interface WorkerForwarding {
  readonly step: ChainStep;
  close(): void;
}

/** Passes requests for streams that only the first worker runs to that worker's local `socket`; others continue. */
export function forwardToFirst(socket: string): WorkerForwarding {
  const agent = new Agent({ keepAlive: true });
  return {
    step(call) {
      const stream = streamOf(call);
      if (call.api === undefined || stream === undefined) return "next";
      if (spreadOf(call.api.api.definition).has(stream)) return "next";
      call.isPassedOn = true;
      return call.transport.kind === "http" ? passRequest(call, socket, agent) : passUpgrade(call, socket);
    },
    close: () => agent.destroy(),
  };
}

/** Computed once for each definition: an API may have thousands of streams. */
const spreadStreams = new WeakMap<ApiIdentity, ReadonlySet<string>>();

/** Returns the streams of an API that run in every worker. */
function spreadOf(definition: ApiIdentity): ReadonlySet<string> {
  const known = spreadStreams.get(definition);
  if (known !== undefined) return known;
  const spread = new Set(definition.spread);
  spreadStreams.set(definition, spread);
  return spread;
}

/** Returns the stream that the path of a request belongs to; a path belongs to one stream, or each verb to one. */
function streamOf({ api, transport, verb }: Call): string | undefined {
  const routes = api?.routes;
  if (routes === undefined) return undefined;
  return transport.kind === "websocket" ? routes.sockets[0]?.stream : routes.byVerb.get(verb)?.stream;
}

function passRequest(call: Call, socketPath: string, agent: Agent): Promise<StepResult> {
  const { request, transport } = call;
  if (transport.kind !== "http") return Promise.resolve("next");
  const { response } = transport;
  return new Promise((resolve) => {
    const passed = httpRequest({
      socketPath,
      agent,
      method: call.verb,
      path: request.url ?? "/",
      headers: headersFor(call, clientConnectionHeaders),
    });
    passed.once("response", (answer: IncomingMessage) => {
      const headers = withoutNames(answer.rawHeaders, connectionHeaders);
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
      answer.pipe(response);
      answer.once("error", () => {
        call.isPassedOn = false;
        response.destroy();
      });
      resolve("done");
    });
    passed.once("error", () => {
      call.isPassedOn = false;
      if (response.headersSent) response.destroy();
      else resolve(unavailable());
    });
    response.once("close", () => passed.destroy());
    request.pipe(passed);
  });
}

function passUpgrade(call: Call, path: string): Promise<StepResult> {
  const { request, transport } = call;
  if (transport.kind !== "websocket") return Promise.resolve("next");
  const { socket, head } = transport;
  return new Promise((resolve) => {
    const passed = connect(path);
    passed.once("connect", () => {
      const lines = pairs(headersFor(call)).map(([name, value]) => `${name}: ${value}\r\n`);
      passed.write(`${call.verb} ${request.url ?? "/"} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
      passed.write(head);
      passed.once("data", (answer: Buffer) => {
        call.passedStatus = Number(answer.toString("latin1", 9, 12));
      });
      socket.pipe(passed).pipe(socket);
      resolve("done");
    });
    // Before the socket is connected, the client gets an error; afterwards it can only be disconnected.
    passed.once("error", () => {
      call.isPassedOn = false;
      resolve(unavailable());
    });
    passed.once("connect", () => passed.once("close", () => socket.destroy()));
    socket.once("close", () => passed.destroy());
  });
}

/** Returns the headers unchanged except for `others`, and the address of the client. */
function headersFor(call: Call, others: readonly string[] = []): string[] {
  return [
    ...withoutNames(call.request.rawHeaders, [originHeader, "expect", ...others]),
    originHeader,
    printOrigin(call),
  ];
}

function printOrigin({ remoteAddress, url, requestId, certificate }: Call): string {
  const shown = certificate && {
    der: certificate.x509.raw.toString("base64"),
    isTrusted: certificate.isTrusted,
  };
  const scheme = url.protocol.slice(0, -1);
  const origin = { remoteAddress, scheme, host: url.host, requestId, certificate: shown };
  return Buffer.from(JSON.stringify(origin)).toString("base64url");
}

/** Returns the origin of a request that a worker passed on; `undefined` for a request from another source. */
export function readForwardedOrigin(request: IncomingMessage): RequestOrigin | undefined {
  const { headers, rawHeaders } = request;
  const text = headers[originHeader];
  if (typeof text !== "string") return undefined;
  delete headers[originHeader];
  rawHeaders.splice(0, rawHeaders.length, ...withoutNames(rawHeaders, [originHeader]));
  // Only workers of this gateway reach this socket, so the value has the expected form.
  const origin: PrintedOrigin = JSON.parse(Buffer.from(text, "base64url").toString());
  const { certificate: shown } = origin;
  const certificate = shown && {
    x509: new (crypto().X509Certificate)(Buffer.from(shown.der, "base64")),
    isTrusted: shown.isTrusted,
  };
  return { ...origin, certificate };
}

interface PrintedOrigin extends Omit<RequestOrigin, "certificate"> {
  readonly certificate?: { readonly der: string; readonly isTrusted: boolean };
}

/**
 * The client's connection headers do not apply to the connection between the workers: if it closed with the client's
 * connection, that could cut off a response. The framing of the request body stays as received.
 */
const clientConnectionHeaders = ["connection", "keep-alive"];

const connectionHeaders = [...clientConnectionHeaders, "transfer-encoding"];

function withoutNames(rawHeaders: readonly string[], names: readonly string[]): string[] {
  return pairs(rawHeaders).flatMap(([name, value]) =>
    names.includes(name.toLowerCase()) ? [] : [name, value],
  );
}

function pairs(flat: readonly string[]): readonly (readonly [string, string])[] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [
    flat[2 * index] ?? "",
    flat[2 * index + 1] ?? "",
  ]);
}

/** Returns the error while the worker that runs the stream restarts. */
function unavailable(): GatewayError {
  return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
}
