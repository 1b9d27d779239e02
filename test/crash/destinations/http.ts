import { httpServer } from "../../harness/http-server.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import type { Destination } from "../destination.ts";
import { Ledger } from "../ledger.ts";
import { numberOf } from "../source.ts";

/** A server that accepts a message by answering 200. */
export async function httpDestination(): Promise<Destination> {
  const ledger = new Ledger();
  const server = await httpServer(({ body }) => {
    ledger.add(numberOf(body));
    return {};
  });
  const proxy = await startTcpProxy(Number(new URL(server.url).port));
  return {
    output: {
      http_client: { url: `http://127.0.0.1:${proxy.port}/numbers`, retries: 3, retry_period: "50ms" },
    },
    ledger,
    settle: async () => undefined, // answered messages are already in the ledger
    proxy,
    async close() {
      await proxy.close();
      await server.close();
    },
  };
}
