// The work that is compared, and the least share of the speed of a program written by hand.

/** A broker that a row needs; its address stands in a variable of the environment. */
export type NeededBroker = "nats" | "kafka" | "mqtt";

/** One row of the table. */
export interface Row {
  /** Also the name of the document in `documents/` and of the program in `../by-hand/`. */
  readonly name: string;
  readonly title: string;
  readonly needs?: NeededBroker;
  /** Least speed, of that of the program by hand. */
  readonly goal: number;
  /** Least speed, of that of the reference engine. */
  readonly referenceGoal: number;
}

export const rows: readonly Row[] = [
  { name: "post-drop", title: "POST → drop", goal: 0.9, referenceGoal: 1.5 },
  { name: "post-mapping-drop", title: "POST → mapping → drop", goal: 0.9, referenceGoal: 2 },
  { name: "post-nats", title: "POST → mapping → NATS", needs: "nats", goal: 0.9, referenceGoal: 1.7 },
  { name: "post-jetstream", title: "POST → mapping → JetStream", needs: "nats", goal: 0.9, referenceGoal: 2 },
  { name: "post-kafka", title: "POST → mapping → Kafka", needs: "kafka", goal: 0.9, referenceGoal: 2 },
  {
    name: "post-kafka-headers",
    title: "POST → mapping → Kafka, with headers",
    needs: "kafka",
    goal: 0.9,
    referenceGoal: 2,
  },
  { name: "post-mqtt", title: "POST → mapping → MQTT QoS 1", needs: "mqtt", goal: 0.9, referenceGoal: 2 },
];
