// The admin listener, for operators: whether the gateway is alive and ready, and what its streams do.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { normaliseRequest } from "../../http/incoming/normalise.ts";
import { adminConnections, logDropped } from "../../http/listener-limits.ts";
import { pageDocument, sameOriginHeaders } from "../../http/page-document.ts";
import { type PageFile, packedFile, sendPageFile, textFile } from "../../http/page-file.ts";
import type { Logger } from "../../process/log.ts";
import type { StreamState } from "../../stream/stream-state.ts";
import { type AdminAccess, type AdminRefusal, createAdminDoor } from "./access.ts";
import { pageScript, pageStyle } from "./generated/page-files.ts";
import { processInfo } from "./process-info.ts";
import type { RouteRow } from "./route-row.ts";

/** The page for operators; its script fills it. */
const pageHtml = /* @__PURE__ */ pageDocument(
  "Gateway",
  "/page",
  'This page needs its script; <a href="/streams">/streams</a> and <a href="/routes">/routes</a> do not.',
);

/** Few clients connect here: a connection that sends nothing is closed soon. */
const listening = {
  joinDuplicateHeaders: true,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
};

/** What the admin listener reports. */
interface AdminView {
  /** The reasons why the gateway should get no requests now; empty if it is ready. */
  unready(): readonly string[] | Promise<readonly string[]>;
  /** Problems that do not affect readiness. */
  notes(): readonly string[] | Promise<readonly string[]>;
  states(): readonly StreamState[] | Promise<readonly StreamState[]>;
  routes(): readonly RouteRow[];
  /** Metrics in the text format of Prometheus. */
  metrics(): string | Promise<string>;
}

/**
 * Creates the admin server. `GET /healthz`: 200 while the process works. `GET /readyz`: 200, with any notes, or 503
 * with reasons. `GET /streams`: the state and counters of every stream. `GET /routes`: the compiled routes.
 * `GET /info`: version, Node.js and start time. `GET /metrics`: metrics for Prometheus. `GET /`: a page for people.
 * All but the first two need `access`.
 */
export function createAdminServer(view: AdminView, access: AdminAccess, log: Logger): Server {
  const resources = createResources(view);
  const refusalOf = createAdminDoor(access);
  const server = createServer(listening, (request, response) => {
    // The access check looks at the host: probes may send any.
    const isNormal = normaliseRequest(request, { host: "", scheme: "http" }) !== undefined;
    const refusal = refusalOf(request) ?? (isNormal ? undefined : badRequest);
    if (refusal === undefined) void serve(resources, request, response);
    else send(response, json(refusal.status, { error: refusal.error }), refusal.headers);
  });
  server.maxConnections = adminConnections();
  logDropped(server, log, { listener: "admin" });
  return server;
}

/** The responses to `GET` by path. */
type Resources = ReadonlyMap<string, () => Answer | Promise<Answer>>;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function createResources(view: AdminView): Resources {
  return new Map<string, () => Answer | Promise<Answer>>([
    ["/healthz", () => json(200, { status: "ok" })],
    ["/readyz", () => answerReady(view)],
    ["/streams", async () => json(200, { streams: await view.states() })],
    ["/routes", () => json(200, { routes: view.routes() })],
    [
      "/metrics",
      async () => ({
        status: 200,
        type: "text/plain; version=0.0.4; charset=utf-8",
        body: await view.metrics(),
      }),
    ],
    ["/info", () => json(200, processInfo())],
  ]);
}

async function answerReady(view: AdminView): Promise<Answer> {
  const [reasons, all] = await Promise.all([view.unready(), view.notes()]);
  const notes = all.length > 0 && { notes: all };
  if (reasons.length > 0) return json(503, { status: "not ready", reasons, ...notes });
  return json(200, { status: "ready", ...notes });
}

async function serve(
  resources: Resources,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.method === "GET" ? (request.url ?? "").split("?", 1)[0] : undefined;
  const file = pageFiles.get(path ?? "");
  if (file !== undefined) {
    await sendPageFile(file, request, response);
    return;
  }
  // A slash at the end of the path is ignored.
  const resource = resources.get(path?.replace(/\/$/, "") ?? "");
  try {
    send(response, (await resource?.()) ?? json(404, { error: "not found" }));
  } catch {
    send(response, json(500, { error: "Internal error" })); // for example, a worker does not respond in time
  }
}

const pageFiles: ReadonlyMap<string, PageFile> = /* @__PURE__ */ new Map([
  ["/", /* @__PURE__ */ textFile("text/html; charset=utf-8", pageHtml)],
  ["/page.css", /* @__PURE__ */ packedFile("text/css; charset=utf-8", pageStyle)],
  ["/page.js", /* @__PURE__ */ packedFile("text/javascript; charset=utf-8", pageScript)],
]);

const badRequest: AdminRefusal = { status: 400, error: "Bad request" };

const commonHeaders = {
  "cache-control": "no-store",
  ...sameOriginHeaders,
};

function json(status: number, body: unknown): Answer {
  return { status, type: "application/json", body: JSON.stringify(body) };
}

function send(
  response: ServerResponse,
  { status, type, body }: Answer,
  headers?: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(body);
  response
    .writeHead(status, { ...commonHeaders, "content-type": type, "content-length": length, ...headers })
    .end(body);
}
