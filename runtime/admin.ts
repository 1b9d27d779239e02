// The admin listener: whether the gateway lives, whether it is ready, what its streams do.

import { createServer, type Server } from "node:http";
import { H3, HTTPResponse, toNodeHandler } from "h3";
import type { StreamState } from "./stream-state.ts";

/** What the admin listener tells about. */
export interface AdminView {
  /** Why the gateway should get no requests now; empty when it is ready. */
  unready(): readonly string[] | Promise<readonly string[]>;
  states(): readonly StreamState[] | Promise<readonly StreamState[]>;
  /** The numbers that documents ask for, in the text format of Prometheus. */
  metrics(): string | Promise<string>;
}

/**
 * `GET /healthz`: 200 while the process works. `GET /readyz`: 200, or 503 with reasons. `GET /streams`: the
 * state and counters of every stream. `GET /metrics`: what `metric` processors recorded.
 */
export function createAdminServer(view: AdminView): Server {
  const app = new H3({ silent: true });
  app.get("/healthz", () => json(200, { status: "ok" }));
  app.get("/readyz", async () => {
    const reasons = await view.unready();
    return reasons.length === 0
      ? json(200, { status: "ready" })
      : json(503, { status: "not ready", reasons });
  });
  app.get("/streams", async () => json(200, { streams: await view.states() }));
  app.get(
    "/metrics",
    async () =>
      new HTTPResponse(await view.metrics(), {
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
      }),
  );
  app.all("/**", () => json(404, { error: "not found" }));
  const handle = toNodeHandler(app);
  return createServer((request, response) => {
    void handle(request, response);
  });
}

function json(status: number, body: unknown): HTTPResponse {
  return new HTTPResponse(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}
