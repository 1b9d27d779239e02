// One running API: its protections and its upstream, and the object that its requests need.

import type { ServedApi } from "../http/call.ts";
import { createProtectionChain, type ProtectionSteps } from "../http/chain.ts";
import type { RoutedApi } from "../http/router.ts";
import type { ProtectionContext } from "../protection.ts";
import { type PreparedApi, routesOf } from "./prepared-api.ts";
import { startGuards } from "./protections.ts";

/** The context that APIs start with. */
export interface ApiContext extends Omit<ProtectionContext, "api"> {
  /** The host's steps; at each place of the chain they run before those of the document. */
  readonly steps: ProtectionSteps;
}

/** An API that can receive requests. */
export interface RunningApi {
  readonly prepared: PreparedApi;
  readonly served: ServedApi;
  /** Closes the sockets that pass through to the upstream, with the reason; requests may still follow. */
  stop(reason: string): void;
  /** Closes what the API opened for its requests; none may follow. Its streams continue. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts what the requests of an API need, without its streams; leaves nothing open if that fails. */
export async function startApi(prepared: PreparedApi, context: ApiContext): Promise<RunningApi> {
  const { definition, cors, protections } = prepared;
  const { log, maxBodyBytes } = context;
  const guards = await startGuards(protections, { ...context, api: definition.id });
  try {
    const component = log.with({ api: definition.id, component: "upstream" });
    const upstream = prepared.upstream?.start({ log: component, maxBodyBytes });
    let closing: Promise<void> | undefined;
    return {
      prepared,
      served: {
        definition,
        cors,
        guards: createProtectionChain(context.steps, guards.steps),
        upstream: upstream?.forward,
      },
      stop: (reason) => upstream?.stop(reason),
      close() {
        if (closing === undefined) upstream?.close();
        closing ??= guards.close();
        return closing;
      },
    };
  } catch (error) {
    await guards.close();
    throw error;
  }
}

/** Returns the API with its streams' routes, for the route table. An API at `/` with nothing to serve has no mount. */
export function routeApi({ prepared, served }: RunningApi): RoutedApi<ServedApi> {
  const { id, organisation, listenPath, internal = false, versions } = prepared.definition;
  const { host, upstream } = prepared;
  const routes = routesOf(prepared);
  const isIdle =
    listenPath === "/" && versions === undefined && upstream === undefined && routes.length === 0;
  return {
    id,
    organisation,
    api: served,
    listenPath,
    host,
    isInternal: internal || isIdle,
    versions,
    routes,
  };
}
