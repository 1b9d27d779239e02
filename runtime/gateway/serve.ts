// Starts a gateway: reads the environment, opens the listeners, runs the streams.

import type { Server } from "node:http";
import { GatewayScope, scopedMetrics } from "../component/gateway-scope.ts";
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
import { passGuards, startAsked } from "./protections.ts";
import { listRoutes } from "./route-table.ts";
import { type GatewayParts, type RunningApis, startApis } from "./running-apis.ts";
import { readLogLevel, readSettings, type Settings } from "./settings.ts";
import type { WorkerView } from "./workers/messages.ts";
import { createNeighbours, type Neighbours } from "./workers/neighbours.ts";

/** What a host may have requests pass; the other places of the chain belong to the gateway. */
export interface HostSteps extends ProtectionSteps {
  readonly cors?: ChainStep;
}

export interface ServeOptions {
  /** Variables to read; those of the process by default. */
  readonly environment?: EnvironmentVariables;
  /** Reads a mounted secret; from the file system by default. */
  readonly readFile?: (path: string) => string;
  /** Where to listen when neither `GW_LISTEN` nor the definition says; `127.0.0.1:8080` by default. */
  readonly defaultListen?: string;
  /** Where lines go; standard output by default, with the level of `GW_LOG_LEVEL`. */
  readonly log?: Logger;
  readonly steps?: HostSteps;
  /** Whose host names are, where organisations share the gateway; holds from the first request. */
  readonly hostOwner?: HostOwner | undefined;
  /** Who may call, in place of the keys of the definition; the host starts and closes them. */
  readonly keys?: Keys;
  /** What this process is among several that serve together; it then has no listener for operators. */
  readonly worker?: WorkerPlace;
  /** Closes the gateway when aborted. */
  readonly signal?: AbortSignal;
  /** Milliseconds an input stays connected after the last client left; 10 s by default. */
  readonly demandGrace?: number;
  /** Pauses between attempts to connect; from 0.5 s to 30 s by default. */
  readonly backoff?: BackoffOptions;
}

export interface RunningGateway {
  /** As URLs; a worker has no listener for operators, and the portal mostly that of the gateway. */
  readonly addresses: { readonly gateway: string; readonly admin?: string; readonly portal?: string };
  readonly streams: StreamManager;
  /** The compiled routes of now, also of streams that run in another worker. */
  readonly routes: readonly RouteRow[];
  /** For `live/`, which changes its APIs while it runs. */
  readonly parts: GatewayParts;
  /** Numbers in the text format of Prometheus. */
  metrics(): string;
  /** Why it should get no requests now, and what else operators are to know. */
  health(): Pick<WorkerView, "unready" | "notes">;
  /**
   * Fails readiness, and after `GW_DRAIN_DELAY` stops accepting, drains what is in flight within `GW_SHUTDOWN_TIMEOUT`, disconnects. Afterwards nothing
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
  const environment = createEnvironment(
    options.environment ?? process.env,
    options.readFile ?? readMachineText,
  );
  const {
    settings,
    log,
    apis,
    observer,
    ways,
    parts: made,
  } = environment.collect(() => {
    environment.locate(definition.variables);
    const settings = readSettings(environment, definition, options.defaultListen ?? "127.0.0.1:8080");
    const log = options.log ?? createLogger(readLogLevel(environment));
    const apis = definition.apis.map((api) => prepareApi(api, environment, settings.streaming));
    const observer = definition.analytics?.(environment);
    const listener = definition.tls?.(environment);
    const ways = { listener, readOrigin: definition.trustedProxies?.(environment) };
    return { settings, log, apis, observer, ways, parts: makeParts(definition, environment) };
  });
  const { configured, oauth, portal, source, storeSource, leases } = made;
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
  const neighbours = options.worker && createNeighbours(options.worker, { log, limits });
  const closing = new AbortController();
  const keys = options.keys ?? configured;
  const context = { log, gateway: shared, signal: closing.signal };
  const counters = await source?.open({ ...context, worker: options.worker });
  const store = await storeSource?.open(log);
  const known = {
    ...(keys !== undefined && { keys }),
    ...(oauth !== undefined && { oauth }),
    ...(counters !== undefined && { counters }),
    ...(store !== undefined && { store }),
  };
  // What is asked before the APIs are there hears of none.
  const served: { apis?: RunningApis; gateway?: ClientListeners } = {};
  const visitCalls = (visit: (call: Call) => void) => {
    served.gateway?.visitCalls(visit);
    neighbours?.visitCalls(visit);
  };
  const servedApis = () => served.apis?.all.map(({ prepared }) => prepared.definition) ?? [];
  const acceptedBy = (id: string) => served.apis && findAccepted(served.apis, id);
  const closeAsked = await startAsked(
    // Those that are open already are the last to be closed.
    [counters, store, options.keys === undefined ? configured : undefined, oauth, portal].filter(
      (each) => each !== undefined,
    ),
    { ...context, maxBodyBytes, storeGrace: settings.storeGrace, servedApis, acceptedBy, ...known },
  );
  const { cors: ownCors, ...steps } = options.steps ?? {};
  const running = await startApis(apis, { ...context, maxBodyBytes, ...known, steps, visitCalls }).catch(
    async (error) => {
      await closeAsked();
      await shared.close();
      throw error;
    },
  );
  running.assignHosts(options.hostOwner);
  served.apis = running;
  const chain = createChain({
    cors: ownCors ?? cors(running, log),
    ...(oauth !== undefined && { oauth: oauth.step }),
    ...(portal !== undefined && portal.address === undefined && { portal: portal.step }),
    "listen-path": listenPath(running),
    ...(neighbours?.step && { workers: neighbours.step }),
    versions: stripVersion,
    protections: passGuards,
    streams: streamRoutes({ findStream: streams.find, maxBodyBytes, maxFrameBytes }),
    upstream: toUpstream,
  });
  const gateway = createClientListeners({ chain, log, limits, observer, portal, ...ways });
  served.gateway = gateway;
  const measured = {
    own: () => [
      ...shared.get(scopedMetrics).families(),
      ...(counters?.metrics?.() ?? []),
      ...(keys?.metrics?.() ?? []),
      ...[...watched].flatMap((each) => each.metrics()),
    ],
    worker: options.worker?.number,
    labels: workerLabels(options.worker),
  };
  const closeProtections = async () => {
    closing.abort();
    await running.close();
    await closeAsked();
    await shared.close();
  };
  const parts = {
    settings,
    log,
    streams,
    running,
    apis: neighbours === undefined ? apis : apis.map(neighbours.own),
    gateway,
    observer,
    measured,
    neighbours,
    chain,
    counters,
    policies: keys?.policies,
    keys,
  };
  return start({ ...parts, environment, closeProtections, departing }, options.signal);
}

/** What of a definition is made of the environment alone. */
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

/** Numbers of one worker are labelled apart from those of another; Prometheus adds them up. */
function workerLabels(worker: WorkerPlace | undefined): Labels {
  return worker === undefined ? [] : [["worker", String(worker.number)]];
}

/** Everything that makes a gateway, before anything is opened. */
interface Assembly {
  readonly settings: Settings;
  readonly log: Logger;
  readonly streams: StreamManager;
  /** With the streams that run here. */
  readonly apis: readonly PreparedApi[];
  readonly environment: CheckedEnvironment;
  readonly gateway: ClientListeners;
  readonly observer: GatewayObserver | undefined;
  readonly counters: Counters | undefined;
  readonly policies: Keys["policies"];
  readonly keys: Keys | undefined;
  /** The numbers that documents ask for, whose they are, and the labels that say so. */
  readonly measured: {
    readonly own: () => readonly MetricFamily[];
    readonly worker: number | undefined;
    readonly labels: Labels;
  };
  /** Present in a worker, which has no listener for operators. */
  readonly neighbours: Neighbours | undefined;
  readonly chain: ChainStep;
  readonly running: RunningApis;
  /** To be aborted when it begins to end, which load balancers are still to notice. */
  readonly departing: AbortController;
  /** To be called when no request comes any more. */
  closeProtections(): Promise<void>;
}

async function start(assembly: Assembly, signal: AbortSignal | undefined): Promise<RunningGateway> {
  const { settings, log, streams, apis, running, gateway, observer, measured, neighbours } = assembly;
  const { labels } = measured;
  const metrics = () => printMetrics(measured.own(), labels) + (observer?.metrics(labels) ?? "");
  const routes = () =>
    listRoutes(
      running.all.map(({ prepared }) => prepared),
      assembly.policies,
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
    assembly.departing.abort();
    // The primary waits for all of its workers.
    if (neighbours === undefined) await waitForBalancers(settings.drainDelay, log);
    const end = performance.now() + settings.shutdownTimeout;
    log.info("stopping");
    await Promise.all(hooks.map((hook) => hook()));
    gateway.stopAccepting();
    neighbours?.stopAccepting();
    running.stop("gateway is closing");
    await streams.close(settings.shutdownTimeout);
    const left = () => Math.max(0, end - performance.now());
    // What clients of this worker still wait for may come from another one.
    await gateway.close(left());
    await neighbours?.close(left());
    await assembly.closeProtections();
    await observer?.close(left());
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
      own: neighbours?.own ?? ((api) => api),
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

/** Opens the gateway's listener, and beside it that of operators or, in a worker, that of its neighbours. */
async function listenAll(
  { settings, log, gateway, neighbours, chain }: Assembly,
  admin: Server,
): Promise<RunningGateway["addresses"]> {
  try {
    const opened = await gateway.listen(settings.listen);
    if (neighbours !== undefined) {
      await neighbours.open(chain);
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

/** Of one that does not listen, too. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve()); // with an error where it was not open, which is as good
    server.closeAllConnections();
  });
}
