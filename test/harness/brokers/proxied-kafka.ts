import { temporaryDirectory } from "../directories.ts";
import { freePort } from "../ports.ts";
import { startTcpProxy, type TcpProxy } from "../tcp-proxy.ts";
import type { Broker } from "./broker.ts";
import { startKafka } from "./kafka.ts";

/** An Apache Kafka that is reached by two ways, and that can be restarted with all it holds. */
export interface ProxiedKafka {
  /** For the clients of the test, which no cut concerns. */
  readonly direct: string;
  /** For the gateway: every connection made from here on passes the proxy. */
  readonly proxied: string;
  readonly proxy: TcpProxy;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it. A broker tells clients where to connect to, so each way is a listener of its own. */
export async function startProxiedKafka(): Promise<ProxiedKafka> {
  const [direct, behind, controller] = [await freePort(), await freePort(), await freePort()];
  const proxy = await startTcpProxy(behind);
  const listeners = [`PLAINTEXT://127.0.0.1:${direct}`, `PROXIED://127.0.0.1:${behind}`];
  const place = {
    port: direct,
    directory: temporaryDirectory("kafka"),
    settings: {
      listeners: [...listeners, `CONTROLLER://127.0.0.1:${controller}`].join(","),
      "advertised.listeners": `${listeners[0]},PROXIED://127.0.0.1:${proxy.port}`,
      "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT",
      "inter.broker.listener.name": "PLAINTEXT",
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
    },
  };
  let broker: Broker = await startKafka(place);
  return {
    direct: broker.address,
    proxied: `127.0.0.1:${proxy.port}`,
    proxy,
    async restart() {
      await broker.stop();
      broker = await startKafka(place);
    },
    async stop() {
      await broker.stop();
      await proxy.close();
    },
  };
}
