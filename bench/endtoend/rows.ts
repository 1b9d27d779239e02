// The rows of the comparison, and the minimum speed relative to a hand-written program.

/** A broker that a row needs. An environment variable contains its address. */
export type NeededBroker = "nats" | "kafka" | "mqtt" | "rabbitmq";

/** One row of the table. */
export interface Row {
  /** The name of the row, and of its document in `documents/` and its program in `../by-hand/`. */
  readonly name: string;
  readonly title: string;
  readonly needs: readonly NeededBroker[];
  /** The name of the document and the program, if several rows share them. */
  readonly files?: string;
  /** Clients that each receive every message posted; a result is per message and client. */
  readonly clients?: Audience;
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
  /** The source and sink of messages; if absent, requests are sent to the program itself. */
  readonly between?: { readonly source: Source; readonly sink: Sink };
  /** Minimum speed relative to the hand-written program. */
  readonly goal: number;
  /** Minimum speed relative to the reference engine. */
  readonly referenceGoal: number;
}

/** The clients that stay connected during a row. */
export interface Audience {
  readonly kind: "SSE" | "WebSocket";
  readonly count: number;
}

/** The source to which the load publishes: `IN` names a topic, a stream or an MQTT topic. */
export type Source = "kafka" | "jetstream" | "mqtt";

/** The sink in which the load counts messages: `OUT` names a topic or a subject. */
export type Sink = "kafka" | "nats";

export const rows: readonly Row[] = [
  { name: "post-drop", title: "POST → drop", needs: [], goal: 0.9, referenceGoal: 1.5 },
  { name: "post-mapping-drop", title: "POST → mapping → drop", needs: [], goal: 0.9, referenceGoal: 2 },
  { name: "post-nats", title: "POST → mapping → NATS", needs: ["nats"], goal: 0.9, referenceGoal: 1.7 },
  {
    name: "post-jetstream",
    title: "POST → mapping → JetStream",
    needs: ["nats"],
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
    name: "jetstream-kafka",
    title: "JetStream → mapping → Kafka",
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
  ...audienceRows("SSE", [1, 100, 5000]),
  ...audienceRows("WebSocket", [1, 100, 5000]),
  {
    name: "proxy",
    title: "GET → upstream",
    needs: [],
    upstream: "proxied",
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

function audienceRows(kind: Audience["kind"], counts: readonly number[]): readonly Row[] {
  return counts.map((count) => ({
    name: `post-${kind.toLowerCase()}-${count}`,
    title: `POST → ${kind}, broadcast to ${count}`,
    needs: [],
    files: "clients",
    clients: { kind, count },
    goal: 0.9,
    referenceGoal: 2,
  }));
}
