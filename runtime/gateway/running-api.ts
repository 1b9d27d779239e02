// One API at work: its protections and its upstream started, what requests to it need in one object.

import type { ServedApi } from "../http/call.ts";
import { createProtectionChain, type ProtectionSteps } from "../http/chain.ts";
import type { RoutedApi } from "../http/router.ts";
import type { ProtectionContext } from "../protection.ts";
import { type PreparedApi, routesOf } from "./prepared-api.ts";
import { startGuards } from "./protections.ts";

/** What APIs are started with. */
export interface ApiContext extends Omit<ProtectionContext, "api"> {
  /** What the host has requests pass; at one place before what the document asks for. */
  readonly steps: ProtectionSteps;
}

/** An API that requests can be sent to. */
export interface RunningApi {
  readonly prepared: PreparedApi;
  readonly served: ServedApi;
  /** Closes the sockets that pass through to its upstream, and says why; requests may still come. */
  stop(reason: string): void;
  /** Ends what it opened for its requests; none comes any more. Its streams go on. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts what requests to an API need, not its streams; leaves nothing open where that fails. */
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

/** The API with the routes of its streams, for the table. One at `/` that has nothing to answer with is not mounted. */
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
