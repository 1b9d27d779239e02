import { temporaryDirectory } from "../directories.ts";
import { freePort } from "../ports.ts";
import { startTcpProxy, type TcpProxy } from "../tcp-proxy.ts";
import type { Broker } from "./broker.ts";
import { startKafka } from "./kafka.ts";

/** An Apache Kafka that clients reach directly or through proxies, and that can restart with its data. */
export interface ProxiedKafka {
  /** The address for the clients of the test, which the proxies do not affect. */
  readonly direct: string;
  /** The address for the gateway: every connection to it passes through the proxy. */
  readonly proxied: string;
  readonly proxy: TcpProxy;
  /** `proxied` and all further addresses, each with its own proxy. */
  readonly ways: readonly { readonly address: string; readonly proxy: TcpProxy }[];
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts it with `count` proxied addresses. A broker tells clients where to connect, so each address has its own
 * listener.
 */
export async function startProxiedKafka(count = 1): Promise<ProxiedKafka> {
  const [direct, controller] = [await freePort(), await freePort()];
  const names = Array.from({ length: count }, (_, index) => `PROXIED${index}`);
  const ports = await Promise.all(names.map(() => freePort()));
  const ways = await Promise.all(
    ports.map(async (port) => {
      const proxy = await startTcpProxy(port);
      return { address: `127.0.0.1:${proxy.port}`, proxy };
    }),
  );
  const [first] = ways;
  if (first === undefined) throw new Error("a Kafka behind no proxy is `startKafka`");
  const own = `PLAINTEXT://127.0.0.1:${direct}`;
  const behind = names.map((name, index) => `${name}://127.0.0.1:${ports[index]}`);
  const advertised = names.map((name, index) => `${name}://${ways[index]?.address}`);
  const place = {
    port: direct,
    directory: temporaryDirectory("kafka"),
    settings: {
      listeners: [own, ...behind, `CONTROLLER://127.0.0.1:${controller}`].join(","),
      "advertised.listeners": [own, ...advertised].join(","),
      "listener.security.protocol.map": ["PLAINTEXT", "CONTROLLER", ...names]
        .map((name) => `${name}:PLAINTEXT`)
        .join(","),
      "inter.broker.listener.name": "PLAINTEXT",
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    },
  };
  let broker: Broker = await startKafka(place);
  return {
    direct: broker.address,
    proxied: first.address,
    proxy: first.proxy,
    ways,
    async restart() {
      await broker.stop();
      broker = await startKafka(place);
    },
    async stop() {
      await broker.stop();
      await Promise.all(ways.map(({ proxy }) => proxy.close()));
    },
  };
}
