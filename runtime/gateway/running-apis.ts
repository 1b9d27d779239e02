// The APIs of a gateway at work, and the table that leads requests to them.

import type { Call } from "../http/call.ts";
import { createRouter, type HostOwner } from "../http/router.ts";
import type { Routing, RoutingReference } from "../middleware/routing.ts";
import type { CheckedEnvironment } from "../process/environment.ts";
import type { Logger } from "../process/log.ts";
import type { StreamManager } from "../stream/stream-manager.ts";
import type { PreparedApi } from "./prepared-api.ts";
import { type ApiContext, type RunningApi, routeApi, startApi } from "./running-api.ts";
import type { Settings } from "./settings.ts";

/** What a gateway serves: one set at a time, whether it is the first or a later one. */
export class RunningApis implements RoutingReference {
  readonly #context: ApiContext;
  /** Replaced ones that still have requests. */
  readonly #retired = new Set<RunningApi>();
  #all: readonly RunningApi[] = [];
  #ownerOf: HostOwner | undefined;
  #routing: Routing = route([], undefined);

  constructor(context: ApiContext) {
    this.#context = context;
  }

  get current(): Routing {
    return this.#routing;
  }

  /** In the order of the set. */
  get all(): readonly RunningApi[] {
    return this.#all;
  }

  /** The API of that id, where it is one of the set. */
  find(id: string): PreparedApi | undefined {
    return this.#all.find(({ prepared }) => prepared.definition.id === id)?.prepared;
  }

  /** Starts an API; no request gets to it before it is part of the set. */
  start(prepared: PreparedApi): Promise<RunningApi> {
    return startApi(prepared, this.#context);
  }

  /**
   * From now on requests are led to these; those under way end where they are. Throws when two APIs share a listen path
   * or two streams claim one route, and then nothing has changed.
   */
  replace(apis: readonly RunningApi[]): void {
    this.#routing = route(apis, this.#ownerOf);
    this.#all = apis;
  }

  /** From now on host names belong to these organisations: requests for them reach no API of another one. */
  assignHosts(ownerOf: HostOwner | undefined): void {
    this.#routing = route(this.#all, ownerOf);
    this.#ownerOf = ownerOf;
  }

  /** Closes an API that is not in the set any more when its requests are over, which `over` tells. */
  retire(api: RunningApi, over: Promise<void>): void {
    this.#retired.add(api);
    const { id } = api.prepared.definition;
    // Nothing waits for it, and the gateway continues to serve.
    const complain = (error: unknown) => this.#context.log.warn("disconnecting failed", { api: id, error });
    void over
      .then(() => api.close())
      .catch(complain)
      .finally(() => this.#retired.delete(api));
  }

  /** As `RunningApi.stop`. */
  stop(reason: string): void {
    for (const api of [...this.#all, ...this.#retired]) api.stop(reason);
  }

  /** As `RunningApi.close`. */
  async close(): Promise<void> {
    await Promise.all([...this.#all, ...this.#retired].map((api) => api.close()));
  }
}

/** Starts the first set; where one cannot start, closes the others and rejects with its failure. */
export async function startApis(prepared: readonly PreparedApi[], context: ApiContext): Promise<RunningApis> {
  const running = new RunningApis(context);
  const started: RunningApi[] = [];
  try {
    for (const api of prepared) started.push(await running.start(api));
    running.replace(started);
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

/** The parts of a gateway that go on while its APIs come and go. */
export interface GatewayParts {
  readonly log: Logger;
  readonly settings: Settings;
  readonly environment: CheckedEnvironment;
  readonly streams: StreamManager;
  readonly apis: RunningApis;
  /** An API with those of its streams that run in this process. */
  own(api: PreparedApi): PreparedApi;
  /** Resolves when all requests and sockets that are open now, and of which `isMeant` says so, are over. */
  settle(isMeant: (call: Call) => boolean): Promise<void>;
  /** Has `hook` be called and waited for when the gateway closes, before anything else. */
  onClose(hook: () => Promise<void>): void;
}
