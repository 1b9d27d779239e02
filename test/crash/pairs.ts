import type { ProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import type { Destination } from "./destination.ts";
import { httpDestination } from "./destinations/http.ts";
import { kafkaDestination } from "./destinations/kafka.ts";
import type { Source } from "./source.ts";
import { amqpSource } from "./sources/amqp.ts";
import { httpSource } from "./sources/http.ts";
import { jetstreamSource } from "./sources/jetstream.ts";
import { kafkaSource } from "./sources/kafka.ts";
import { mqttSource } from "./sources/mqtt.ts";

/** An input and an output between which nothing may be lost. */
export interface Pair {
  readonly name: string;
  /** `silence`: the time after which a group of Kafka goes on without a member, as a document writes it. */
  source(kafka: ProxiedKafka, silence?: string): Promise<Source>;
  destination(kafka: ProxiedKafka): Promise<Destination>;
}

/** Every pair that the contract names; a new one is a row here and a source beside the others. */
export const pairs: readonly Pair[] = [
  { name: "Kafka → Kafka", source: kafkaSource, destination: kafkaDestination },
  { name: "Kafka → HTTP", source: kafkaSource, destination: httpDestination },
  { name: "JetStream → Kafka", source: jetstreamSource, destination: kafkaDestination },
  { name: "MQTT → Kafka", source: mqttSource, destination: kafkaDestination },
  { name: "AMQP → Kafka", source: amqpSource, destination: kafkaDestination },
  { name: "HTTP → Kafka", source: async () => httpSource(), destination: kafkaDestination },
];
