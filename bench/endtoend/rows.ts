// The work that is compared, and the least share of the speed of a program written by hand.

/** A broker that a row needs; its address stands in a variable of the environment. */
export type NeededBroker = "nats" | "kafka" | "mqtt" | "rabbitmq";

/** One row of the table. */
export interface Row {
  /** Also the name of the document in `documents/` and of the program in `../by-hand/`. */
  readonly name: string;
  readonly title: string;
  readonly needs: readonly NeededBroker[];
  /** The name of the document and of the program, where several rows share them. */
  readonly files?: string;
  /** Clients that each get every message, which comes by POST; what counts is a message to a client. */
  readonly clients?: Audience;
  /** What is asked of a server behind the side, whose address is in `UPSTREAM`: each request again, or orders without end. */
  readonly upstream?: "proxied" | "polled";
  /** The share of the usual number of messages, where one follows the other. */
  readonly share?: number;
  /** What is sent instead of orders by `POST /in`. */
  readonly request?: Buffer;
  /** A header of each order. */
  readonly header?: string;
  /** Where messages come from and go to; requests to the side itself without. */
  readonly between?: { readonly source: Source; readonly sink: Sink };
  /** Least speed, of that of the program by hand. */
  readonly goal: number;
  /** Least speed, of that of the reference engine. */
  readonly referenceGoal: number;
}

/** The clients of a row that are connected all the time. */
export interface Audience {
  readonly kind: "SSE" | "WebSocket";
  readonly count: number;
}

/** Where the load puts messages: the topic, stream or topic of MQTT that `IN` names. */
export type Source = "kafka" | "jetstream" | "mqtt";

/** Where the load counts messages: the topic or subject that `OUT` names. */
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
