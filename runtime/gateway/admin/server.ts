// The listener for operators: whether the gateway lives, whether it is ready, what its streams do.

import { createServer, type Server } from "node:http";
import { H3, HTTPResponse, toNodeHandler } from "h3";
import { normaliseRequest } from "../../http/incoming/normalise.ts";
import { pageDocument, sameOriginHeaders } from "../../http/page-document.ts";
import { type PageFile, packedFile, sendPageFile, textFile } from "../../http/page-file.ts";
import type { StreamState } from "../../stream/stream-state.ts";
import { type AdminAccess, type AdminRefusal, createAdminDoor } from "./access.ts";
import { pageScript, pageStyle } from "./generated/page-files.ts";
import { processInfo } from "./process-info.ts";
import type { RouteRow } from "./route-row.ts";

/** The page for operators, which its script fills. */
const pageHtml = /* @__PURE__ */ pageDocument(
  "Gateway",
  "/page",
  'This page needs its script; <a href="/streams">/streams</a> and <a href="/routes">/routes</a> do not.',
);

/** What the listener tells about. */
interface AdminView {
  /** Why the gateway should get no requests now; empty when it is ready. */
  unready(): readonly string[] | Promise<readonly string[]>;
  /** What is not as it should be and keeps it from nothing. */
  notes(): readonly string[] | Promise<readonly string[]>;
  states(): readonly StreamState[] | Promise<readonly StreamState[]>;
  routes(): readonly RouteRow[];
  /** Numbers in the text format of Prometheus. */
  metrics(): string | Promise<string>;
}

/**
 * `GET /healthz`: 200 while the process works. `GET /readyz`: 200, with notes where there are any, or 503 with reasons. `GET /streams`: the
 * state and counters of every stream. `GET /routes`: the compiled routes. `GET /info`: version, Node.js and time of the
 * start. `GET /metrics`: numbers for Prometheus. `GET /`: a page for people. All but the first two are for those whom `access` lets in.
 */
export function createAdminServer(view: AdminView, access: AdminAccess): Server {
  const app = new H3({ silent: true });
  app.get("/healthz", () => json(200, { status: "ok" }));
  app.get("/readyz", async () => {
    const [reasons, all] = await Promise.all([view.unready(), view.notes()]);
    const notes = all.length > 0 && { notes: all };
    if (reasons.length > 0) return json(503, { status: "not ready", reasons, ...notes });
    return json(200, { status: "ready", ...notes });
  });
  app.get("/streams", async () => json(200, { streams: await view.states() }));
  app.get("/routes", () => json(200, { routes: view.routes() }));
  app.get("/metrics", async () => answer(await view.metrics(), "text/plain; version=0.0.4; charset=utf-8"));
  app.get("/info", () => json(200, processInfo()));
  app.all("/**", () => json(404, { error: "not found" }));
  const handle = toNodeHandler(app);
  const refusalOf = createAdminDoor(access);
  return createServer({ joinDuplicateHeaders: true }, (request, response) => {
    // The door looks at the host, which probes name as they like.
    const isNormal = normaliseRequest(request, { host: "", scheme: "http" }) !== undefined;
    const refusal = refusalOf(request) ?? (isNormal ? undefined : badRequest);
    if (refusal === undefined) {
      const file = request.method === "GET" ? pageFiles.get(request.url?.split("?", 1)[0] ?? "") : undefined;
      if (file === undefined) void handle(request, response);
      else sendPageFile(file, request, response);
      return;
    }
    const body = JSON.stringify({ error: refusal.error });
    response
      .writeHead(refusal.status, { ...commonHeaders, "content-type": "application/json", ...refusal.headers })
      .end(body);
  });
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

function json(status: number, body: unknown): HTTPResponse {
  return answer(JSON.stringify(body), "application/json", {}, status);
}

function answer(
  body: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): HTTPResponse {
  return new HTTPResponse(body, {
    status,
    headers: {
      "content-type": type,
      ...commonHeaders,
      ...headers,
    },
  });
}
