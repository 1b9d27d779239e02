import type { ProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import type { Destination } from "./destination.ts";
import { amqp1Destination, amqpDestination } from "./destinations/amqp.ts";
import { httpDestination } from "./destinations/http.ts";
import {
  bucketDestination,
  deduplicatingDestination,
  jetstreamDestination,
} from "./destinations/jetstream.ts";
import { kafkaDestination } from "./destinations/kafka.ts";
import { mqttDestination } from "./destinations/mqtt.ts";
import { redisListDestination, redisStreamDestination } from "./destinations/redis.ts";
import type { Source } from "./source.ts";
import { amqpSource } from "./sources/amqp.ts";
import { httpSource } from "./sources/http.ts";
import { jetstreamSource } from "./sources/jetstream.ts";
import { kafkaSource } from "./sources/kafka.ts";
import { mqttSource } from "./sources/mqtt.ts";
import { redisListSource, redisSource } from "./sources/redis.ts";

/** An input and an output between which no message may be lost. */
export interface Pair {
  readonly name: string;
  /** `silence`: the session timeout of a Kafka consumer group, as a document writes it. */
  source(kafka: ProxiedKafka, silence?: string): Promise<Source>;
  destination(kafka: ProxiedKafka): Promise<Destination>;
}

/** Every pair that the contract names. To add one, add a row here and a source or destination in its folder. */
export const pairs: readonly Pair[] = [
  { name: "Kafka → Kafka", source: kafkaSource, destination: kafkaDestination },
  { name: "Kafka → HTTP", source: kafkaSource, destination: httpDestination },
  { name: "JetStream → Kafka", source: jetstreamSource, destination: kafkaDestination },
  { name: "MQTT → Kafka", source: () => mqttSource(), destination: kafkaDestination },
  { name: "AMQP → Kafka", source: amqpSource, destination: kafkaDestination },
  { name: "HTTP → Kafka", source: async () => httpSource(), destination: kafkaDestination },
];

/** Further pairs that may not lose messages; only `npm run test:crash` includes them. */
export const furtherPairs: readonly Pair[] = [
  { name: "MQTT 5, QoS 2 → Kafka", source: () => mqttSource("exactlyOnce"), destination: kafkaDestination },
  { name: "JetStream → JetStream", source: jetstreamSource, destination: jetstreamDestination },
  { name: "JetStream → JetStream with ids", source: jetstreamSource, destination: deduplicatingDestination },
  { name: "JetStream → key-value bucket", source: jetstreamSource, destination: bucketDestination },
  { name: "JetStream → MQTT", source: jetstreamSource, destination: mqttDestination },
  { name: "JetStream → AMQP", source: jetstreamSource, destination: amqpDestination },
  { name: "JetStream → AMQP 1.0", source: jetstreamSource, destination: amqp1Destination },
  { name: "JetStream → Redis list", source: jetstreamSource, destination: redisListDestination },
  { name: "Redis stream → Redis stream", source: redisSource, destination: redisStreamDestination },
  { name: "Redis list → HTTP", source: redisListSource, destination: httpDestination },
  { name: "Redis stream → HTTP", source: redisSource, destination: httpDestination },
];
