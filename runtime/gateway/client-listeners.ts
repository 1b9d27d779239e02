// The listeners for clients: one for the APIs, and one for the portal if it has its own address.

import { createChain } from "../http/chain.ts";
import { type ListenerKind, plainListener } from "../http/listener.ts";
import { createGatewayServer, type GatewayServer, type GatewayServerOptions } from "../middleware/server.ts";
import type { Portal } from "../portal/portal.ts";
import { type ListenAddress, listen } from "../process/listen-address.ts";

/** All listeners for clients, treated as one. */
export interface ClientListeners {
  /** Opens all listeners; resolves with their addresses as URLs. */
  listen(address: ListenAddress): Promise<{ readonly gateway: string; readonly portal?: string }>;
  /** As those of `GatewayServer`, for the APIs. */
  readonly settle: GatewayServer["settle"];
  readonly visitCalls: GatewayServer["visitCalls"];
  /** Stops accepting connections, and closes each open one after its current response. */
  stopAccepting(): void;
  /** Resolves when all connections are closed; those still open after `deadline` milliseconds are destroyed. */
  close(deadline: number): Promise<void>;
}

export interface ClientListenerOptions extends GatewayServerOptions {
  readonly portal: Portal | undefined;
}

/** Creates listeners with the same limits and, if TLS is configured, the same certificate; they do not listen yet. */
export function createClientListeners({ portal, ...options }: ClientListenerOptions): ClientListeners {
  const kind: ListenerKind = options.listener ?? plainListener;
  const { address: own } = portal ?? {};
  const forApis = portal !== undefined && own === undefined ? portal.listening(kind) : kind;
  const apis = createGatewayServer({ ...options, listener: forApis });
  const others =
    portal === undefined || own === undefined
      ? []
      : [
          {
            address: own,
            server: createGatewayServer({
              ...options,
              chain: createChain({ portal: portal.step }),
              listener: portal.listening(kind),
            }),
          },
        ];
  const all = [apis, ...others.map(({ server }) => server)];
  return {
    async listen(address) {
      const gateway = await listen(apis.server, address, { scheme: apis.scheme, variable: "GW_LISTEN" });
      const [other] = others;
      if (other === undefined) return { gateway };
      const { server, scheme } = other.server;
      return { gateway, portal: await listen(server, other.address, { scheme }) };
    },
    settle: apis.settle,
    visitCalls: apis.visitCalls,
    stopAccepting() {
      for (const each of all) each.stopAccepting();
    },
    async close(deadline) {
      await Promise.all(all.map((each) => each.close(deadline)));
    },
  };
}
