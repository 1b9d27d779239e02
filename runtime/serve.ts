// Starts a gateway: reads the environment, opens the listeners, runs the streams.

import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import { createAdminServer } from "./admin.ts";
import type { BackoffOptions } from "./backoff.ts";
import { createEnvironment, type Variables } from "./environment.ts";
import type { GatewayDefinition } from "./gateway.ts";
import { type ListenAddress, listen } from "./listen-address.ts";
import { createLogger, type Logger } from "./log.ts";
import { printMetrics } from "./metrics.ts";
import { createChain, type Place, type Steps } from "./middleware/chain.ts";
import { listenPath } from "./middleware/listen-path.ts";
import { streamRoutes } from "./middleware/stream-routes.ts";
import { upstream } from "./middleware/upstream.ts";
import { type PreparedApi, prepareApi, routeApi } from "./prepared-api.ts";
import { createRouter } from "./router.ts";
import { createGatewayServer, type GatewayServer } from "./server.ts";
import { readLogLevel, readSettings, type Settings } from "./settings.ts";
import { createStreamManager, type StreamManager } from "./stream-manager.ts";

/** Places of the chain that a host may fill; the others belong to the gateway. */
export type OpenPlace = Exclude<Place, "listen-path" | "streams" | "upstream">;

export interface ServeOptions {
  /** Variables to read; those of the process by default. */
  readonly environment?: Variables;
  /** Reads a mounted secret; from the file system by default. */
  readonly readFile?: (path: string) => string;
  /** Where to listen when neither `GW_LISTEN` nor the definition says; `127.0.0.1:8080` by default. */
  readonly defaultListen?: string;
  /** Where lines go; standard output by default, with the level of `GW_LOG_LEVEL`. */
  readonly log?: Logger;
  readonly steps?: Pick<Steps, OpenPlace>;
  /** Closes the gateway when aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds an input stays connected after the last client left; 10 s by default. */
  readonly demandGrace?: number;
  /** Pauses between attempts to connect; from 0.5 s to 30 s by default. */
  readonly backoff?: BackoffOptions;
}

export interface RunningGateway {
  readonly addresses: { readonly gateway: string; readonly admin: string };
  readonly streams: StreamManager;
  /**
   * Stops accepting, drains what is in flight within `GW_SHUTDOWN_TIMEOUT`, disconnects. Afterwards nothing
   * of the gateway keeps the process alive. Every call gives the same promise.
   */
  close(): Promise<void>;
}

/**
 * Serves `definition`; resolves when both listeners are open, while streams may still be connecting (see
 * `/readyz`). Rejects with an `EnvironmentError` naming everything the environment lacks, or with the
 * error of a listener.
 */
export async function serveGateway(
  definition: GatewayDefinition,
  options: ServeOptions = {},
): Promise<RunningGateway> {
  const environment = createEnvironment(options.environment ?? process.env, options.readFile ?? readText);
  const { settings, log, apis } = environment.collect(() => {
    const settings = readSettings(environment, definition, options.defaultListen ?? "127.0.0.1:8080");
    const log = options.log ?? createLogger(readLogLevel(environment));
    const apis = definition.apis.map((api) => prepareApi(api, environment, settings.streaming));
    return { settings, log, apis };
  });
  // What the streams of this gateway share, and those of others in the process do not, is found by this object.
  const shared = {};
  const streams = createStreamManager({
    log,
    gateway: shared,
    demandGrace: options.demandGrace ?? 10_000,
    backoff: options.backoff ?? { first: 500, longest: 30_000 },
    stopTimeout: settings.shutdownTimeout,
    instances: settings.instances,
  });
  const router = createRouter(apis.map(routeApi));
  const chain = createChain({
    ...options.steps,
    "listen-path": listenPath(router),
    streams: streamRoutes({ findStream: streams.find, maxBodyBytes: settings.maxBodyBytes }),
    upstream: upstream({ log, maxBodyBytes: settings.maxBodyBytes }),
  });
  const server = createGatewayServer(chain, log);
  return start(settings, log, streams, apis, server, () => printMetrics(shared), options.signal);
}

async function start(
  settings: Settings,
  log: Logger,
  streams: StreamManager,
  apis: readonly PreparedApi[],
  gateway: GatewayServer,
  metrics: () => string,
  signal: AbortSignal | undefined,
): Promise<RunningGateway> {
  let closing: Promise<void> | undefined;
  const admin = createAdminServer({
    unready: () => (closing === undefined ? streams.unready() : ["shutting down"]),
    states: () => streams.states(),
    metrics,
  });
  const addresses = await listenBoth(gateway.server, settings.listen, admin, settings.adminListen);
  log.info("listening", addresses);
  if (!settings.streaming) {
    log.warn("streaming is switched off", { remedy: "streaming.enabled or GW_STREAMING_ENABLED" });
  }
  for (const stream of apis.flatMap((api) => api.streams)) await stream.run(streams);

  async function shutDown(): Promise<void> {
    const end = Date.now() + settings.shutdownTimeout;
    log.info("stopping");
    gateway.stopAccepting();
    await streams.close(settings.shutdownTimeout);
    await gateway.close(Math.max(0, end - Date.now()));
    await closeServer(admin);
    log.info("stopped");
  }
  const close = () => {
    closing ??= shutDown();
    return closing;
  };
  signal?.addEventListener("abort", close, { once: true });
  if (signal?.aborted) await close();
  return { addresses, streams, close };
}

async function listenBoth(
  gateway: Server,
  gatewayAddress: ListenAddress,
  admin: Server,
  adminAddress: ListenAddress,
): Promise<RunningGateway["addresses"]> {
  const gatewayUrl = await listen(gateway, gatewayAddress);
  try {
    return { gateway: gatewayUrl, admin: await listen(admin, adminAddress) };
  } catch (error) {
    await closeServer(gateway);
    throw error;
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function readText(path: string): string {
  return readFileSync(path, "utf8");
}
