import { startTcpProxy, type TcpProxy } from "../harness/tcp-proxy.ts";

/** The names of the replicas, whose clocks are a minute apart. */
export const replicaNames = ["a", "b", "c"] as const;

/** The network between one replica and something that it shares. */
export interface Network {
  readonly proxy: TcpProxy;
  /** The address at which the replica finds the server. */
  readonly address: string;
}

/** Returns a separate network to a server whose address is a URL. */
export async function networkTo(address: string): Promise<Network> {
  const url = new URL(address);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  return { proxy, address: url.href };
}
