// The running APIs of a gateway, and the table that routes requests to them.

import type { Call } from "../http/call.ts";
import { createRouter, type HostOwner } from "../http/router.ts";
import type { Routing, RoutingReference } from "../middleware/routing.ts";
import type { CheckedEnvironment } from "../process/environment.ts";
import type { Logger } from "../process/log.ts";
import type { StreamManager } from "../stream/stream-manager.ts";
import type { PreparedApi } from "./prepared-api.ts";
import { type ApiContext, type RunningApi, routeApi, startApi } from "./running-api.ts";
import type { Settings } from "./settings.ts";

/** The APIs that a gateway serves: one set at a time, the first one or a later one. */
export class RunningApis implements RoutingReference {
  readonly #context: ApiContext;
  /** Replaced APIs that still have requests. */
  readonly #retired = new Set<RunningApi>();
  #all: readonly RunningApi[] = [];
  #ownerOf: HostOwner | undefined;
  #routing: Routing = route([], undefined);

  /** `ownerOf`: the owners of host names, if there are any. */
  constructor(context: ApiContext, ownerOf: HostOwner | undefined) {
    this.#context = context;
    this.#ownerOf = ownerOf;
  }

  get current(): Routing {
    return this.#routing;
  }

  /** The APIs in the order of the set. */
  get all(): readonly RunningApi[] {
    return this.#all;
  }

  /** Returns the API with this id; `undefined` if the set does not contain it. */
  find(id: string): PreparedApi | undefined {
    return this.#all.find(({ prepared }) => prepared.definition.id === id)?.prepared;
  }

  /** Starts an API; it receives no request before it is part of the set. */
  start(prepared: PreparedApi): Promise<RunningApi> {
    return startApi(prepared, this.#context);
  }

  /**
   * Returns a function that routes new requests to these APIs; requests in progress end where they are. Throws if two
   * APIs share a listen path or two streams claim one route.
   */
  replacement(apis: readonly RunningApi[]): () => void {
    const routing = route(apis, this.#ownerOf);
    return () => {
      this.#routing = routing;
      this.#all = apis;
    };
  }

  /** Assigns host names to organisations: requests for a name no longer reach an API of another organisation. */
  assignHosts(ownerOf: HostOwner | undefined): void {
    this.#routing = route(this.#all, ownerOf);
    this.#ownerOf = ownerOf;
  }

  /** Closes an API that left the set when its requests end, which is when `over` resolves. */
  retire(api: RunningApi, over: Promise<void>): void {
    this.#retired.add(api);
    const { id } = api.prepared.definition;
    // Nothing waits for the API, and the gateway continues to serve.
    const complain = (error: unknown) => this.#context.log.warn("disconnecting failed", { api: id, error });
    void over
      .then(() => api.close())
      .catch(complain)
      .finally(() => this.#retired.delete(api));
  }

  /** Calls `RunningApi.stop` of all APIs. */
  stop(reason: string): void {
    for (const api of [...this.#all, ...this.#retired]) api.stop(reason);
  }

  /** Calls `RunningApi.close` of all APIs. */
  async close(): Promise<void> {
    await Promise.all([...this.#all, ...this.#retired].map((api) => api.close()));
  }
}

/** Starts the first set; if one API cannot start, closes the others and rejects with its error. */
export async function startApis(
  prepared: readonly PreparedApi[],
  context: ApiContext,
  ownerOf: HostOwner | undefined,
): Promise<RunningApis> {
  const running = new RunningApis(context, ownerOf);
  const started: RunningApi[] = [];
  try {
    for (const api of prepared) started.push(await running.start(api));
    running.replacement(started)();
  } catch (error) {
    await Promise.all(started.map((api) => api.close()));
    throw error;
  }
  return running;
}

function route(apis: readonly RunningApi[], ownerOf: HostOwner | undefined): Routing {
  return {
    router: createRouter(apis.map(routeApi), ownerOf),
    hasCors: apis.some(({ prepared }) => hasCors(prepared)),
  };
}

function hasCors({ cors, streams }: PreparedApi): boolean {
  const endpoints = streams.flatMap(({ parts }) => [
    ...(parts.input.endpoints ?? []),
    ...(parts.output.endpoints ?? []),
  ]);
  return cors !== undefined || endpoints.some((each) => each.transport === "http" && each.cors !== undefined);
}

/** The parts of a gateway that continue while its APIs change. */
export interface GatewayParts {
  readonly log: Logger;
  readonly settings: Settings;
  readonly environment: CheckedEnvironment;
  readonly streams: StreamManager;
  readonly apis: RunningApis;
  /** Returns the API with those of its streams that run in this process. */
  own(api: PreparedApi): PreparedApi;
  /** Resolves when all requests and sockets that are open now and match `isMeant` have ended. */
  settle(isMeant: (call: Pick<Call, "api">) => boolean): Promise<void>;
  /** Registers a hook that the gateway calls and waits for, before anything else, when it closes. */
  onClose(hook: () => Promise<void>): void;
}
