import { startTcpProxy, type TcpProxy } from "../harness/tcp-proxy.ts";

/** The replicas, whose clocks are a minute apart. */
export const replicaNames = ["a", "b", "c"] as const;

/** What is between one replica and something that it shares. */
export interface Network {
  readonly proxy: TcpProxy;
  /** Where the replica finds the server. */
  readonly address: string;
}

/** A network of its own to a server, whose address is a URL. */
export async function networkTo(address: string): Promise<Network> {
  const url = new URL(address);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  return { proxy, address: url.href };
}
