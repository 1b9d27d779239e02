// The service from its start to its end.

import { GatewayError } from "../runtime/errors.ts";
import { listen } from "../runtime/listen-address.ts";
import { listenerLimits } from "../runtime/listener-limits.ts";
import type { Logger } from "../runtime/log.ts";
import type { Step } from "../runtime/middleware/chain.ts";
import { createRouter, type PortalRouter } from "../runtime/portal/router.ts";
import { createGatewayServer } from "../runtime/server.ts";
import { authorise } from "./access/access.ts";
import type { ManagedOperation, Services } from "./operation.ts";
import { operations } from "./operations/operations.ts";
import type { ServiceSettings } from "./settings.ts";
import { openManagementStore } from "./store/open.ts";

/** A service that listens. */
export interface RunningService {
  /** Its address as an URL. */
  readonly address: string;
  /** Stops accepting, finishes what is in flight, closes the store. Every call gives the same promise. */
  close(): Promise<void>;
}

/** Where operations are. */
const apiPath = "/api";

/** Opens the store and listens. Rejects with a `GatewayError` of the store, or the error of the listener. */
export async function startService(settings: ServiceSettings, log: Logger): Promise<RunningService> {
  const store = await openManagementStore(settings.store, log);
  const services: Services = { log, store, settings };
  const server = createGatewayServer({
    chain: serve(routerOf(services)),
    log,
    limits: listenerLimits({}, 1),
  });
  const close = async () => {
    server.stopAccepting();
    await server.close(settings.shutdownTimeout);
    await store.close();
  };
  try {
    const address = await listen(server.server, settings.listen);
    log.info("listening", { management: address });
    if (!settings.streaming) {
      log.warn("streaming is switched off", {
        remedy: "streaming.enabled or GW_MANAGEMENT_STREAMING_ENABLED",
      });
    }
    let closing: Promise<void> | undefined;
    return {
      address,
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function routerOf(services: Services): PortalRouter {
  const { settings, store } = services;
  const present = operations.filter(({ isStreaming }) => settings.streaming || !isStreaming);
  const byOperation = new Map(present.map((each) => [each.operation, each]));
  return createRouter({
    operations: present.map(({ operation }) => operation),
    path: apiPath,
    description: {
      title: "Management",
      description: "Streaming APIs, how they are deployed, and what their streams do.",
    },
    authorise(request, operation) {
      const managed = operation && byOperation.get(operation);
      return authorise(request, managed && neededFor(managed, settings), { access: settings.access, store });
    },
    services,
    maxBodyBytes: settings.maxBodyBytes,
  });
}

function neededFor({ permission, isOfInstallation }: ManagedOperation, { organisation }: ServiceSettings) {
  return isOfInstallation ? { permission, organisation } : { permission };
}

function serve(router: PortalRouter): Step {
  return ({ path, transport, request }) => {
    if (path.segments[0] !== "api" || transport.kind !== "http") return new GatewayError(404, "not found");
    return router(request, transport.response).then(() => "done");
  };
}
