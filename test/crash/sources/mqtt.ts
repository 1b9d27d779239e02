import { connect, connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { chunksOf, type Source } from "../source.ts";

/** The limit of in-flight messages that the broker is configured with; it exceeds this limit after a reconnection. */
const brokersLimit = 20;
/** The limit of in-flight messages that the gateway applies, however many the broker sends. */
const gatewaysLimit = 1024;
const topic = "numbers";
const clientId = "gateway";

/**
 * The MQTT version and quality of service of each kind, the packet after which the broker does not deliver a message
 * again, and how many messages are published at a time.
 */
const kinds = {
  usual: { version: 4, qos: 1, acknowledgement: "PUBACK", atATime: 500 },
  // If more are published at a time, Mosquitto 2.0.11 confirms them to the publisher but never delivers them.
  exactlyOnce: { version: 5, qos: 2, acknowledgement: "PUBREC", atATime: brokersLimit },
} as const;

/** A persistent Mosquitto session, which exists whether the gateway is connected or not. */
export async function mqttSource(kind: keyof typeof kinds = "usual"): Promise<Source> {
  const { version, qos, acknowledgement, atATime } = kinds[kind];
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
    // Mosquitto keeps all accepted messages: it writes them to disk when it stops, and drops none before.
    configuration: ["max_queued_messages 0", "max_queued_bytes 0", `max_inflight_messages ${brokersLimit}`],
  };
  const proxy = await startTcpProxy(place.port);
  let broker = await startMosquitto(place);
  const owner = await connectAsync(broker.address, session);
  await owner.subscribeAsync(topic, { qos });
  await owner.endAsync();

  /** The number of acknowledgements that the brokers before the last restart have read. */
  let readBefore = 0;
  const read = () => broker.log().split(`Received ${acknowledgement} from ${clientId} `).length - 1;

  async function withPublisher(use: (client: MqttClient) => Promise<unknown>): Promise<void> {
    const client = await connectAsync(broker.address);
    await use(client);
    await client.endAsync();
  }

  /** Returns the number of messages in the session, up to a marker message that is published now. */
  async function remaining(): Promise<number> {
    await withPublisher((client) => client.publishAsync(topic, "last", { qos }));
    let before = 0;
    let reached = false;
    // The listener is added before the connection is open: the session's messages arrive immediately.
    const reader = connect(broker.address, session);
    reader.on("message", (_, payload) => {
      if (String(payload) === "last") reached = true;
      else if (!reached) before += 1;
    });
    await until(() => reached, { what: "the last message of the session" });
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
    confirmed: async () => readBefore + read(),
    remaining,
    // Messages that were delivered before a fault but not acknowledged arrive again before this one.
    append: (message) => withPublisher((client) => client.publishAsync(topic, message, { qos })),
    cut: () => proxy.reset(),
    async restart() {
      await broker.stop();
      readBefore += read();
      broker = await startMosquitto(place);
    },
    async close() {
      await broker.stop();
      await proxy.close();
    },
  };
}
