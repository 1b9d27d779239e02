import { connect, connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { chunksOf, type Source } from "../source.ts";

/** What the broker is told to have under way at a time; after a reconnection it does not keep to that. */
const brokersLimit = 20;
/** What the gateway has under way at a time, whatever the broker sends. */
const gatewaysLimit = 1024;
const topic = "numbers";
const clientId = "gateway";

/** By which version of MQTT, and with which quality of service. */
const kinds = {
  usual: { version: 4, qos: 1, atATime: 500 },
  // Mosquitto 2.0.11 confirms more at a time to a publisher, and then hands them to nobody.
  exactlyOnce: { version: 5, qos: 2, atATime: brokersLimit },
} as const;

/** A session that Mosquitto keeps, whether the gateway is there or not. */
export async function mqttSource(kind: keyof typeof kinds = "usual"): Promise<Source> {
  const { version, qos, atATime } = kinds[kind];
  const session: IClientOptions = {
    clientId,
    clean: false,
    protocolVersion: version,
    ...(version === 5 && { properties: { sessionExpiryInterval: 0xffff_ffff } }),
  };
  const place = {
    port: await freePort(),
    directory: temporaryDirectory("mosquitto"),
    persistence: true,
    // All that was accepted is kept: Mosquitto writes it when it is stopped, and drops nothing before.
    configuration: ["max_queued_messages 0", "max_queued_bytes 0", `max_inflight_messages ${brokersLimit}`],
  };
  const proxy = await startTcpProxy(place.port);
  let broker = await startMosquitto(place);
  const owner = await connectAsync(broker.address, session);
  await owner.subscribeAsync(topic, { qos });
  await owner.endAsync();

  async function withPublisher(use: (client: MqttClient) => Promise<unknown>): Promise<void> {
    const client = await connectAsync(broker.address);
    await use(client);
    await client.endAsync();
  }

  /** What the session still holds, up to a last message that is published now. */
  async function remaining(): Promise<number> {
    await withPublisher((client) => client.publishAsync(topic, "last", { qos }));
    let before = 0;
    let reached = false;
    // Listened to before it connects: what the session holds comes at once.
    const reader = connect(broker.address, session);
    reader.on("message", (_, payload) => {
      if (String(payload) === "last") reached = true;
      else if (!reached) before += 1;
    });
    await until(() => reached, { what: "the last message of the session", timeout: 60_000 });
    await reader.endAsync();
    return before;
  }

  return {
    input: {
      mqtt: {
        urls: [`mqtt://127.0.0.1:${proxy.port}`],
        topics: [topic],
        client_id: clientId,
        protocol_version: version,
        qos,
        clean_session: false,
      },
    },
    inFlight: gatewaysLimit,
    repeatsAfterRestart: true,
    fill: (range) =>
      withPublisher(async (client) => {
        for (const chunk of chunksOf(range, atATime)) {
          await Promise.all(chunk.map((message) => client.publishAsync(topic, message, { qos })));
        }
      }),
    remaining,
    // What was delivered before a fault and not acknowledged comes again, and before this.
    append: (message) => withPublisher((client) => client.publishAsync(topic, message, { qos })),
    cut: () => proxy.reset(),
    async restart() {
      await broker.stop();
      broker = await startMosquitto(place);
    },
    async close() {
      await broker.stop();
      await proxy.close();
    },
  };
}
