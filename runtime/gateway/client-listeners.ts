// The listeners for clients: that of the APIs, and that of the portal where it has one of its own.

import { createChain } from "../http/chain.ts";
import { type ListenerKind, plainListener } from "../http/listener.ts";
import { createGatewayServer, type GatewayServer, type GatewayServerOptions } from "../middleware/server.ts";
import type { Portal } from "../portal/portal.ts";
import { type ListenAddress, listen } from "../process/listen-address.ts";

/** What clients reach, as one. */
export interface ClientListeners {
  /** Opens all of them; gives their addresses as URLs. */
  listen(address: ListenAddress): Promise<{ readonly gateway: string; readonly portal?: string }>;
  /** As those of `GatewayServer`, of what APIs serve. */
  readonly settle: GatewayServer["settle"];
  readonly visitCalls: GatewayServer["visitCalls"];
  /** Takes no new connections and lets each open one go after its present answer. */
  stopAccepting(): void;
  /** Resolves when every connection is gone; those still open after `deadline` milliseconds are cut. */
  close(deadline: number): Promise<void>;
}

export interface ClientListenerOptions extends GatewayServerOptions {
  readonly portal: Portal | undefined;
}

/** Listeners that do not listen yet, with the same limits and, where there is one, the same certificate. */
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
