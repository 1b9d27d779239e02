// A worker beside the others: which streams it runs itself, and how requests for the rest get to the worker that runs them:
// passed on as they are, answers back as they come.

import { rmSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { GatewayError } from "../../errors.ts";
import type { ApiIdentity, Call, ChainStep, StepResult } from "../../http/call.ts";
import type { ListenerLimits } from "../../http/listener-limits.ts";
import type { RequestOrigin } from "../../http/request-origin.ts";
import { createGatewayServer, type GatewayServer } from "../../middleware/server.ts";
import { crypto } from "../../process/builtins.ts";
import type { Logger } from "../../process/log.ts";
import type { WorkerPlace } from "../../process/worker-place.ts";
import type { PreparedApi } from "../prepared-api.ts";

/** Carries where a request comes from to the worker that runs the stream; no other source for it is trusted. */
const originHeader = "x-sluice-origin";

/** A step that passes requests on, and how to give up its connections. */
interface WorkerForwarding {
  readonly step: ChainStep;
  close(): void;
}

/**
 * Passes on what matches a route of a stream that runs in the first worker alone, to the local `socket` of that; everything
 * else goes on here.
 */
function forwardToHome(socket: string): WorkerForwarding {
  const agent = new Agent({ keepAlive: true });
  return {
    step(call) {
      const stream = streamOf(call);
      if (call.api === undefined || stream === undefined) return "next";
      if (spreadOf(call.api.api.definition).has(stream)) return "next";
      return call.transport.kind === "http" ? passRequest(call, socket, agent) : passUpgrade(call, socket);
    },
    close: () => agent.destroy(),
  };
}

/** Read once for each definition: an API may have thousands of streams. */
const spreadStreams = new WeakMap<ApiIdentity, ReadonlySet<string>>();

/** The streams of an API that run in every worker. */
function spreadOf(definition: ApiIdentity): ReadonlySet<string> {
  const known = spreadStreams.get(definition);
  if (known !== undefined) return known;
  const spread = new Set(definition.spread);
  spreadStreams.set(definition, spread);
  return spread;
}

/** The stream whose routes a path belongs to; they are all of one stream, or one verb's each. */
function streamOf({ api, transport, verb }: Call): string | undefined {
  const routes = api?.findRoutes()?.value;
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
      answer.once("error", () => response.destroy());
      resolve("done");
    });
    passed.once("error", () => (response.headersSent ? response.destroy() : resolve(away())));
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
    // Before it is connected, the client gets an error; after that it can only be cut.
    passed.once("error", () => resolve(away()));
    passed.once("connect", () => passed.once("close", () => socket.destroy()));
    socket.once("close", () => passed.destroy());
  });
}

/** The headers as they came but for `others`, and the address of the client. */
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

/** The origin of a request that a worker has passed on; `undefined` for one from another source. */
function readForwardedOrigin(request: IncomingMessage): RequestOrigin | undefined {
  const { headers, rawHeaders } = request;
  const text = headers[originHeader];
  if (typeof text !== "string") return undefined;
  delete headers[originHeader];
  rawHeaders.splice(0, rawHeaders.length, ...withoutNames(rawHeaders, [originHeader]));
  // Only workers of this gateway reach this socket, and this is what they write.
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
 * The connection between the workers is their own affair: one that closes because the client's is to close may break
 * an answer off. How the body of a request is framed stays as it came.
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

/** The worker that runs it is being started again. */
function away(): GatewayError {
  return new GatewayError(503, "Stream is not running", { retryAfter: 1 });
}

/** What a worker has instead of the listener for operators. */
export interface Neighbours {
  /** A place of the chain: takes requests for streams that run elsewhere. Absent in the worker that runs all. */
  readonly step?: ChainStep;
  /** The API with the streams that run here. */
  own(api: PreparedApi): PreparedApi;
  /** In the first worker, begins to take what the others pass on and puts it through `chain`. */
  open(chain: ChainStep): Promise<void>;
  stopAccepting(): void;
  /** As `GatewayServer.visitCalls`, of what the others pass on. */
  visitCalls(visit: (call: Call) => void): void;
  /** Resolves when nothing is open between the workers; what is after `deadline` milliseconds is cut. */
  close(deadline: number): Promise<void>;
}

export interface NeighbourOptions {
  readonly log: Logger;
  /** Of the gateway's own listener. */
  readonly limits: ListenerLimits;
}

/** What the other workers add to the headers of a request at most. */
const addedBytes = 16 * 1024;

/** The neighbourhood of the worker at `place`. */
export function createNeighbours(place: WorkerPlace, options: NeighbourOptions): Neighbours {
  return place.number === 0 ? homeWorker(place, options) : otherWorker(place);
}

function homeWorker({ socket }: WorkerPlace, { log, limits }: NeighbourOptions): Neighbours {
  let gateway: GatewayServer | undefined;
  return {
    own: (api) => api,
    async open(chain) {
      gateway = createGatewayServer({
        chain,
        log,
        // The clients' connections were counted where they came in.
        limits: {
          ...limits,
          maxConnections: Number.POSITIVE_INFINITY,
          maxHeaderBytes: limits.maxHeaderBytes + addedBytes,
          maxHeaders: limits.maxHeaders + 2,
        },
        readOrigin: readForwardedOrigin,
      });
      const { server } = gateway;
      // A worker that was killed leaves the socket behind.
      rmSync(socket, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        // Exclusive: the primary would share it among all workers.
        server.listen({ path: socket, exclusive: true }, () => {
          server.off("error", reject);
          resolve();
        });
      });
    },
    stopAccepting: () => gateway?.stopAccepting(),
    visitCalls: (visit) => gateway?.visitCalls(visit),
    close: async (deadline) => gateway?.close(deadline),
  };
}

function otherWorker({ socket }: WorkerPlace): Neighbours {
  const forwarding = forwardToHome(socket);
  return {
    step: forwarding.step,
    own: (api) => ({ ...api, streams: api.streams.filter(({ isSpread }) => isSpread) }),
    async open() {},
    stopAccepting() {},
    visitCalls() {},
    async close() {
      forwarding.close();
    },
  };
}
