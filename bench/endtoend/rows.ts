// The rows of the comparison, and the minimum speed relative to a hand-written program.

/** A broker that a row needs. An environment variable contains its address. */
export type NeededBroker = "nats" | "kafka" | "mqtt" | "rabbitmq";

/** One row of the table. */
export interface Row {
  /** The name of the row; also that of its document in `documents/` and its program in `../by-hand/`. */
  readonly name: string;
  readonly title: string;
  readonly needs: readonly NeededBroker[];
  /** The name of the document, if it is not that of the row. */
  readonly document?: string;
  /** The name of the program, if it is not that of the row. */
  readonly program?: string;
  /**
   * The use of an upstream, whose address is in `UPSTREAM`: each request is proxied, or orders are polled endlessly.
   */
  readonly upstream?: "proxied" | "polled";
  /** The share of the usual number of messages, for rows that handle them sequentially. */
  readonly share?: number;
  /** The request to send instead of orders by `POST /in`. */
  readonly request?: Buffer;
  /** A header sent with each order. */
  readonly header?: string;
  /** Orders are sent over HTTP/2 with TLS; the certificate is in `TLS_CERT`, its key in `TLS_KEY`. */
  readonly http2?: true;
  /** The source and sink of messages; if absent, requests are sent to the program and it responds to each. */
  readonly between?: { readonly source: Source; readonly sink: Sink };
  /** The JetStream stream that stores all subjects below its name. */
  readonly stores?: string;
  /** What the reference engine lacks, so that it cannot run the document. */
  readonly referenceLacks?: string;
  /** Minimum speed relative to the hand-written program. */
  readonly goal: number;
  /** Minimum speed relative to the reference engine. */
  readonly referenceGoal: number;
}

/** The clients that stay connected during a row. */
export interface Audience {
  readonly kind: "SSE" | "WebSocket";
  readonly count: number;
  /** Whether each message goes to all clients or to one; a result is per message and client that gets it. */
  readonly distribution: "broadcast" | "share";
}

/**
 * The source to which the load publishes: `IN` names a topic, a stream or an MQTT topic; requests and the frames of
 * WebSockets go to the program.
 */
export type Source = "kafka" | "jetstream" | "mqtt" | "requests" | "sockets";

/** The sink in which the load counts messages: `OUT` names a topic or a subject. */
export type Sink = "kafka" | "nats" | Audience;

export const rows: readonly Row[] = [
  { name: "post-drop", title: "POST → drop", needs: [], goal: 0.9, referenceGoal: 1.5 },
  {
    name: "post-http2",
    title: "POST over HTTP/2 with TLS → drop",
    needs: [],
    http2: true,
    referenceLacks: "HTTP/2",
    goal: 0.9,
    referenceGoal: 1.5,
  },
  { name: "post-mapping-drop", title: "POST → mapping → drop", needs: [], goal: 0.9, referenceGoal: 2 },
  { name: "post-nats", title: "POST → mapping → NATS", needs: ["nats"], goal: 0.9, referenceGoal: 1.7 },
  {
    name: "post-jetstream",
    title: "POST → mapping → JetStream",
    needs: ["nats"],
    stores: "stored",
    goal: 0.9,
    referenceGoal: 2,
  },
  { name: "post-kafka", title: "POST → mapping → Kafka", needs: ["kafka"], goal: 0.9, referenceGoal: 2 },
  {
    name: "post-kafka-headers",
    title: "POST → mapping → Kafka, with headers",
    needs: ["kafka"],
    goal: 0.9,
    referenceGoal: 2,
  },
  { name: "post-mqtt", title: "POST → mapping → MQTT QoS 1", needs: ["mqtt"], goal: 0.9, referenceGoal: 2 },
  {
    name: "post-amqp",
    title: "POST → mapping → AMQP 0-9-1",
    needs: ["rabbitmq"],
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "post-full",
    title: "POST, key, policy, rate, schema → mapping → Kafka",
    needs: ["kafka"],
    referenceLacks: "keys and policies",
    header: "x-api-key: 5iGNfEnDkZpG3zUCF6yCsDEr0nGvcAVGhVyOxNqvEHc",
    goal: 0.85,
    referenceGoal: 2,
  },
  {
    name: "kafka-kafka",
    title: "Kafka → mapping → Kafka",
    needs: ["kafka"],
    between: { source: "kafka", sink: "kafka" },
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "kafka-kafka-batches",
    title: "Kafka → mapping → Kafka, batches of 500",
    program: "kafka-kafka",
    needs: ["kafka"],
    between: { source: "kafka", sink: "kafka" },
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "jetstream-kafka",
    title: "JetStream → mapping → Kafka",
    needs: ["nats", "kafka"],
    between: { source: "jetstream", sink: "kafka" },
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "jetstream-kafka-batches",
    title: "JetStream → mapping → Kafka, batches of 500",
    program: "jetstream-kafka",
    needs: ["nats", "kafka"],
    between: { source: "jetstream", sink: "kafka" },
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "mqtt-nats",
    title: "MQTT QoS 1 → mapping → NATS",
    needs: ["mqtt", "nats"],
    between: { source: "mqtt", sink: "nats" },
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "mqtt-nats-batches",
    title: "MQTT QoS 1 → mapping → NATS, batches of 100",
    program: "mqtt-nats",
    needs: ["mqtt", "nats"],
    between: { source: "mqtt", sink: "nats" },
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "ws-kafka",
    title: "WebSocket → Kafka",
    needs: ["kafka"],
    between: { source: "sockets", sink: "kafka" },
    goal: 0.9,
    referenceGoal: 2,
  },
  ...audienceRows("requests", "broadcast"),
  ...audienceRows("kafka", "share"),
  ...audienceRows("kafka", "broadcast"),
  {
    name: "proxy",
    title: "GET → upstream",
    needs: [],
    upstream: "proxied",
    referenceLacks: "a proxy of ordinary requests",
    request: Buffer.from(
      "GET /items/7?full=true HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n",
    ),
    goal: 0.9,
    referenceGoal: 2,
  },
  {
    name: "get-one",
    title: "GET of one message",
    needs: [],
    request: Buffer.from("GET /one HTTP/1.1\r\nhost: localhost\r\n\r\n"),
    goal: 0.85,
    referenceGoal: 2,
  },
  {
    name: "poll",
    title: "polling of an upstream → mapping",
    needs: [],
    upstream: "polled",
    share: 0.2,
    goal: 0.85,
    referenceGoal: 2,
  },
];

function audienceRows(source: "requests" | "kafka", distribution: Audience["distribution"]): readonly Row[] {
  const from = {
    requests: { name: "post", title: "POST", needs: [], document: "clients", program: "clients" },
    kafka: {
      name: `kafka-${distribution}`,
      title: "Kafka",
      needs: ["kafka" as const],
      document: `kafka-clients-${distribution}`,
      program: "kafka-clients",
    },
  }[source];
  const to = { broadcast: "broadcast to", share: "shared by" }[distribution];
  const kinds = ["SSE", "WebSocket"] as const;
  return kinds.flatMap((kind) =>
    [1, 100, 5000].map((count) => ({
      ...from,
      name: `${from.name}-${kind.toLowerCase()}-${count}`,
      title: `${from.title} → ${kind}, ${to} ${count}`,
      between: { source, sink: { kind, count, distribution } },
      ...(distribution === "broadcast" ? { referenceLacks: "a broadcast to clients" } : {}),
      goal: 0.9,
      referenceGoal: 2,
    })),
  );
}
