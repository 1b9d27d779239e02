// Starts a gateway: reads the environment, opens the listeners, runs the streams.

import type { Server } from "node:http";
import { GatewayScope, scopedMetrics } from "../component/gateway-scope.ts";
import { abort } from "../concurrency/abort.ts";
import type { BackoffOptions } from "../concurrency/backoff.ts";
import type { Trouble } from "../conditions/conditions.ts";
import type { Counters } from "../counters.ts";
import type { GatewayDefinition } from "../gateway.ts";
import type { Call, ChainStep } from "../http/call.ts";
import { createChain, type ProtectionSteps } from "../http/chain.ts";
import type { HostOwner } from "../http/router.ts";
import type { Keys } from "../keys/keys.ts";
import { cors } from "../middleware/cors.ts";
import { listenPath, stripVersion, toUpstream } from "../middleware/routing.ts";
import { streamRoutes } from "../middleware/stream-routes.ts";
import {
  type CheckedEnvironment,
  createEnvironment,
  type Environment,
  type EnvironmentVariables,
} from "../process/environment.ts";
import { listen } from "../process/listen-address.ts";
import { createLogger, type Logger } from "../process/log.ts";
import { readMachineText } from "../process/machine-files.ts";
import { answerLimit, bodyBudget } from "../process/memory/body-budget.ts";
import { type Labels, type MetricFamily, printMetrics, watched } from "../process/metrics.ts";
import { waitForBalancers } from "../process/shutdown.ts";
import type { WorkerPlace } from "../process/worker-place.ts";
import type { GatewayObserver } from "../stream/observer.ts";
import { createStreamManager, type StreamManager } from "../stream/stream-manager.ts";
import type { RouteRow } from "./admin/route-row.ts";
import { createAdminServer } from "./admin/server.ts";
import { type ClientListeners, createClientListeners } from "./client-listeners.ts";
import { findAccepted, type PreparedApi, prepareApi } from "./prepared-api.ts";
import { passGuards, startServices } from "./protections.ts";
import { listRoutes } from "./route-table.ts";
import { type GatewayParts, type RunningApis, startApis } from "./running-apis.ts";
import { readLogLevel, readSettings, type Settings } from "./settings.ts";
import type { WorkerView } from "./workers/messages.ts";
import { createWorkerPeers, type WorkerPeers } from "./workers/peers.ts";

/** Milliseconds for the last report, if the shutdown timeout has passed: it says what the gateway did not finish. */
const lastReport = 1_000;

/** The steps that a host may add; the other places of the chain belong to the gateway. */
export interface HostSteps extends ProtectionSteps {
  readonly cors?: ChainStep;
}

export interface ServeOptions {
  /** The environment variables; those of the process by default. */
  readonly environment?: EnvironmentVariables;
  /** Reads a mounted secret; from the file system by default. */
  readonly readFile?: (path: string) => string;
  /** Where to listen if neither `GW_LISTEN` nor the definition says so; `127.0.0.1:8080` by default. */
  readonly defaultListen?: string;
  /** The logger; by default it writes to standard output with the level of `GW_LOG_LEVEL`. */
  readonly log?: Logger;
  readonly steps?: HostSteps;
  /** Returns the owner of a host name, if organisations share the gateway; applies from the first request. */
  readonly hostOwner?: HostOwner | undefined;
  /** The keys to use instead of those of the definition; the host starts and closes them. */
  readonly keys?: Keys;
  /** The place of this process among several workers; a worker has no admin listener. */
  readonly worker?: WorkerPlace;
  /** Closes the gateway when aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds that an input stays connected after the last client left; 10 s by default. */
  readonly demandGrace?: number;
  /** Pauses between attempts to connect, in milliseconds; from 0.5 s to 30 s by default. */
  readonly backoff?: BackoffOptions;
}

export interface RunningGateway {
  /** Addresses as URLs. A worker has no admin listener; the portal usually has the address of the gateway. */
  readonly addresses: { readonly gateway: string; readonly admin?: string; readonly portal?: string };
  readonly streams: StreamManager;
  /** The current compiled routes, including those of streams that run in another worker. */
  readonly routes: readonly RouteRow[];
  /** For `live/`, which changes the APIs while the gateway runs. */
  readonly parts: GatewayParts;
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): string;
  /** Returns why the gateway should get no requests now, and further notes for operators. */
  health(): Pick<WorkerView, "unready" | "notes">;
  /**
   * Fails readiness, stops accepting connections after `GW_DRAIN_DELAY`, drains what is in flight within
   * `GW_SHUTDOWN_TIMEOUT`, and disconnects. Afterwards nothing of the gateway keeps the process alive. Every call
   * returns the same promise.
   */
  close(): Promise<void>;
}

/**
 * Serves `definition`. Resolves when both listeners are open; streams may still be connecting (see `/readyz`).
 * Rejects with an `EnvironmentError` that names everything the environment lacks, or with the error of a listener.
 */
export async function serveGateway(
  definition: GatewayDefinition,
  options: ServeOptions = {},
): Promise<RunningGateway> {
  const environment = createEnvironment(
    options.environment ?? process.env,
    options.readFile ?? readMachineText,
  );
  const { settings, log, apis, observer, ways, parts: made } = readGateway(definition, environment, options);
  const { oauth, portal, leases } = made;
  const shared = new GatewayScope();
  leases?.offer(shared);
  const departing = new AbortController();
  const streams = createStreamManager({
    log,
    gateway: shared,
    demandGrace: options.demandGrace ?? 10_000,
    departing: departing.signal,
    backoff: options.backoff ?? { first: 500, longest: 30_000 },
    stopTimeout: settings.shutdownTimeout,
    instances: settings.instances,
    ...(observer !== undefined && { observer }),
  });
  const { maxBodyBytes, maxFrameBytes, listener: limits } = settings;
  bodyBudget.limit = settings.maxBytesInFlight;
  answerLimit.bytes = settings.maxAnswerBytes;
  const peers = options.worker && createWorkerPeers(options.worker, { log, limits, observer });
  const closing = new AbortController();
  const context = { log, gateway: shared, signal: closing.signal };
  // Services that look before the APIs exist see none.
  const served: Served = {};
  const visitCalls = (visit: (call: Call) => void) => {
    served.gateway?.visitCalls(visit);
    peers?.visitCalls(visit);
  };
  const { known, close: closeServices } = await openServices(made, { options, settings, context, served });
  const { cors: ownCors, ...steps } = options.steps ?? {};
  const ofApis = { ...context, maxBodyBytes, ...known, steps, visitCalls };
  const running = await startApis(apis, ofApis, options.hostOwner).catch(async (error) => {
    await closeServices();
    await shared.close();
    throw error;
  });
  served.apis = running;
  const chain = createChain({
    cors: ownCors ?? cors(running, log),
    ...(oauth !== undefined && { oauth: oauth.step }),
    ...(portal !== undefined && portal.address === undefined && { portal: portal.step }),
    "listen-path": listenPath(running),
    ...(peers?.step && { workers: peers.step }),
    versions: stripVersion,
    protections: passGuards,
    streams: streamRoutes({ findStream: streams.find, maxBodyBytes, maxFrameBytes }),
    upstream: toUpstream,
  });
  const gateway = createClientListeners({ chain, log, limits, observer, portal, ...ways });
  served.gateway = gateway;
  const measured = {
    own: () => ownMetrics(shared, known),
    worker: options.worker?.number,
    labels: workerLabels(options.worker),
  };
  const closeProtections = async () => {
    abort(closing);
    await running.close();
    await closeServices();
    await shared.close();
  };
  const assembly: Assembly = {
    environment,
    settings,
    log,
    streams,
    running,
    apis: peers === undefined ? apis : apis.map(peers.own),
    gateway,
    observer,
    measured,
    peers,
    chain,
    counters: known.counters,
    keys: known.keys,
    departing,
    closeProtections,
  };
  return start(assembly, options.signal);
}

/**
 * Reads everything that a gateway takes from its environment, and opens nothing. Throws an `EnvironmentError` that names
 * all problems.
 */
export function readGateway(
  definition: GatewayDefinition,
  environment: CheckedEnvironment,
  options: Pick<ServeOptions, "defaultListen" | "log">,
) {
  return environment.collect(() => {
    environment.locate(definition.variables);
    const settings = readSettings(environment, definition, options.defaultListen);
    const log = options.log ?? createLogger(readLogLevel(environment));
    const apis = definition.apis.map((api) => prepareApi(api, environment, settings.streaming));
    const observer = definition.analytics?.(environment);
    const listener = definition.tls?.(environment);
    const ways = { listener, readOrigin: definition.trustedProxies?.(environment) };
    return { settings, log, apis, observer, ways, parts: makeParts(definition, environment) };
  });
}

/** Creates the parts of a definition that depend only on the environment. */
function makeParts(definition: GatewayDefinition, environment: Environment) {
  return {
    configured: definition.keys?.(environment),
    oauth: definition.oauth?.(environment),
    portal: definition.portal?.(environment),
    source: definition.counters?.(environment),
    storeSource: definition.store?.(environment),
    leases: definition.leases?.(environment),
  };
}

/** The APIs and listeners, once they exist. */
interface Served {
  apis?: RunningApis;
  gateway?: ClientListeners;
}

/** Opens the services that APIs share. Resolves with those that exist, and with a function that closes all. */
async function openServices(
  { configured, oauth, portal, source, storeSource }: ReturnType<typeof makeParts>,
  place: {
    readonly options: ServeOptions;
    readonly settings: Settings;
    readonly context: { readonly log: Logger; readonly gateway: GatewayScope; readonly signal: AbortSignal };
    readonly served: Served;
  },
) {
  const { options, settings, context, served } = place;
  const keys = options.keys ?? configured;
  const counters = await source?.open({ ...context, worker: options.worker });
  const store = await storeSource?.open(context.log);
  const known = {
    ...(keys !== undefined && { keys }),
    ...(oauth !== undefined && { oauth }),
    ...(counters !== undefined && { counters }),
    ...(store !== undefined && { store }),
  };
  const close = await startServices(
    // In the order in which they start; the first is closed last.
    [counters, store, options.keys === undefined ? configured : undefined, oauth, portal].filter(
      (each) => each !== undefined,
    ),
    {
      ...context,
      ...known,
      maxBodyBytes: settings.maxBodyBytes,
      storeGrace: settings.storeGrace,
      servedApis: () => served.apis?.all.map(({ prepared }) => prepared.definition) ?? [],
      acceptedBy: (id) => served.apis && findAccepted(served.apis, id),
    },
  );
  return { known, close };
}

/** Returns the metrics of the process, and those that documents define. */
function ownMetrics(
  shared: GatewayScope,
  { counters, keys }: { readonly counters?: Counters; readonly keys?: Keys },
): readonly MetricFamily[] {
  return [
    ...shared.get(scopedMetrics).families(),
    ...(counters?.metrics?.() ?? []),
    ...(keys?.metrics?.() ?? []),
    ...[...watched].flatMap((each) => each.metrics()),
  ];
}

/** Returns the labels that separate the metrics of one worker from those of another; Prometheus adds them up. */
function workerLabels(worker: WorkerPlace | undefined): Labels {
  return worker === undefined ? [] : [["worker", String(worker.number)]];
}

/** All parts of a gateway, before anything is opened. */
interface Assembly {
  readonly settings: Settings;
  readonly log: Logger;
  readonly streams: StreamManager;
  /** The APIs with the streams that run in this process. */
  readonly apis: readonly PreparedApi[];
  readonly environment: CheckedEnvironment;
  readonly gateway: ClientListeners;
  readonly observer: GatewayObserver | undefined;
  readonly counters: Counters | undefined;
  readonly keys: Keys | undefined;
  /** The metrics that documents define, the worker that they belong to, and the labels that say so. */
  readonly measured: {
    readonly own: () => readonly MetricFamily[];
    readonly worker: number | undefined;
    readonly labels: Labels;
  };
  /** Present in a worker, which has no admin listener. */
  readonly peers: WorkerPeers | undefined;
  readonly chain: ChainStep;
  readonly running: RunningApis;
  /** Aborted when the gateway begins to shut down; load balancers have yet to notice. */
  readonly departing: AbortController;
  /** Called when no further request can arrive. */
  closeProtections(): Promise<void>;
}

async function start(assembly: Assembly, signal: AbortSignal | undefined): Promise<RunningGateway> {
  const { settings, log, streams, apis, running, gateway, observer, measured, peers } = assembly;
  const { labels } = measured;
  const metrics = () => printMetrics(measured.own(), labels) + (observer?.metrics(labels) ?? "");
  const routes = () =>
    listRoutes(
      running.all.map(({ prepared }) => prepared),
      assembly.keys?.policies,
    );
  const hooks: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const health = () => healthOf(streams, [assembly.counters?.trouble, assembly.keys?.trouble]);
  const admin = createAdminServer(
    {
      unready: () => (closing === undefined ? health().unready : ["shutting down"]),
      notes: () => health().notes,
      states: () => streams.states(),
      routes,
      metrics,
    },
    settings.adminAccess,
    log,
  );
  const addresses = await listenAll(assembly, admin);
  if (!settings.streaming) {
    log.warn("streaming is switched off", { remedy: "streaming.enabled or GW_STREAMING_ENABLED" });
  }
  observer?.start({ log, worker: measured.worker, states: streams.states, customMetrics: measured.own });
  for (const stream of apis.flatMap((api) => api.streams)) {
    await streams.run(stream.spec, stream.parts);
  }

  async function shutDown(): Promise<void> {
    abort(assembly.departing);
    // In a worker there is no drain delay here: the primary waits once for all workers.
    if (peers === undefined) await waitForBalancers(settings.drainDelay, log);
    const end = performance.now() + settings.shutdownTimeout;
    log.info("stopping");
    await Promise.all(hooks.map((hook) => hook()));
    gateway.stopAccepting();
    peers?.stopAccepting();
    running.stop("gateway is closing");
    await streams.close(settings.shutdownTimeout);
    const left = () => Math.max(0, end - performance.now());
    // Other workers may still respond to requests that clients of this worker wait for.
    await gateway.close(left());
    await peers?.close(left());
    await assembly.closeProtections();
    await observer?.close(Math.max(left(), lastReport));
    await closeServer(admin);
    log.info("stopped");
  }
  const close = () => {
    closing ??= shutDown();
    return closing;
  };
  signal?.addEventListener("abort", close, { once: true });
  if (signal?.aborted) await close();
  const { environment } = assembly;
  const { settle } = gateway;
  return {
    addresses,
    streams,
    get routes() {
      return routes();
    },
    parts: {
      log,
      settings,
      environment,
      streams,
      apis: running,
      own: peers?.own ?? ((api) => api),
      settle,
      onClose: (hook) => hooks.push(hook),
    },
    metrics,
    health,
    close,
  };
}

function healthOf(
  streams: StreamManager,
  troubles: readonly (Trouble | undefined)[],
): Pick<WorkerView, "unready" | "notes"> {
  const textsOf = (isRefusing: boolean) =>
    troubles.flatMap((trouble) => (trouble?.isRefusing === isRefusing ? [trouble.text] : []));
  return {
    unready: [...streams.unready(), ...textsOf(true)],
    notes: [...textsOf(false), ...[...watched].flatMap((each) => each.notes()), ...streams.blocked()],
  };
}

/** Opens the gateway's listener and the admin listener or, in a worker, the listener for the other workers. */
async function listenAll(
  { settings, log, gateway, peers, chain }: Assembly,
  admin: Server,
): Promise<RunningGateway["addresses"]> {
  try {
    const opened = await gateway.listen(settings.listen);
    if (peers !== undefined) {
      await peers.open(chain);
      return opened;
    }
    const addresses = {
      ...opened,
      admin: await listen(admin, settings.adminListen, { variable: "GW_ADMIN_LISTEN" }),
    };
    log.info("listening", addresses);
    return addresses;
  } catch (error) {
    await gateway.close(0);
    throw error;
  }
}

/** Closes a server; resolves even if the server was not listening. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve()); // ignores the error of a server that was not open
    server.closeAllConnections();
  });
}
