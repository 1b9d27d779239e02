import { connect, connectAsync, type IClientOptions } from "mqtt";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import type { Destination } from "../destination.ts";
import { Ledger } from "../ledger.ts";
import { numberOf } from "../source.ts";

const topic = "arrivals";
const session: IClientOptions = { clientId: "reader", clean: false, reconnectPeriod: 100 };

/** A topic of Mosquitto with a session that keeps everything, read as it grows. */
export async function mqttDestination(): Promise<Destination> {
  const place = {
    port: await freePort(),
    directory: temporaryDirectory("mosquitto"),
    persistence: true,
    configuration: ["max_queued_messages 0", "max_queued_bytes 0"],
  };
  const proxy = await startTcpProxy(place.port);
  let broker = await startMosquitto(place);
  const ledger = new Ledger();
  const markers = new Set<string>();
  const reader = connect(broker.address, session);
  reader.on("message", (_, payload) => {
    const text = String(payload);
    if (text.startsWith("marker")) markers.add(text);
    else ledger.add(numberOf(text));
  });
  await reader.subscribeAsync(topic, { qos: 1 });
  let settled = 0;
  return {
    output: { mqtt: { urls: [`mqtt://127.0.0.1:${proxy.port}`], topic, qos: 1, client_id: "writer" } },
    ledger,
    async settle() {
      const marker = `marker ${settled++}`;
      const publisher = await connectAsync(broker.address);
      await publisher.publishAsync(topic, marker, { qos: 1 });
      await publisher.endAsync();
      await until(() => markers.has(marker), { timeout: 120_000, what: "the destination to be read" });
    },
    proxy,
    async restart() {
      await broker.stop();
      broker = await startMosquitto(place);
    },
    repeatsAfterRestart: true,
    async close() {
      await reader.endAsync();
      await broker.stop();
      await proxy.close();
    },
  };
}
