import type { Broker } from "./brokers/broker.ts";
import { startKafka } from "./brokers/kafka.ts";
import { startMemcached } from "./brokers/memcached.ts";
import { startMosquitto } from "./brokers/mosquitto.ts";
import { startNats } from "./brokers/nats.ts";
import { startPostgres } from "./brokers/postgres.ts";
import { startRabbitmq } from "./brokers/rabbitmq.ts";
import { startRedis } from "./brokers/redis.ts";

// `npm test` starts each broker once and hands its address down in these variables; a test file that is
// run alone starts its own. A test that stops or restarts its broker calls `startKafka` and the like.

/** Apache Kafka: the one of `KAFKA_BROKERS` (`host:port`, several with commas), else a fresh one. */
export function kafka(): Promise<Broker> {
  return named("KAFKA_BROKERS") ?? startKafka();
}

/** NATS with JetStream: the one of `NATS_URL` (`nats://host:port`), else a fresh one. */
export function nats(): Promise<Broker> {
  return named("NATS_URL") ?? startNats();
}

/** Mosquitto: the one of `MQTT_URL` (`mqtt://host:port`), else a fresh one. */
export function mosquitto(): Promise<Broker> {
  return named("MQTT_URL") ?? startMosquitto();
}

/** RabbitMQ for AMQP 0.9.1 and 1.0: the one of `RABBITMQ_URL` (`amqp://host:port`), else a fresh one. */
export function rabbitmq(): Promise<Broker> {
  return named("RABBITMQ_URL") ?? startRabbitmq();
}

/** Redis: the one of `REDIS_URL` (`redis://host:port`), else a fresh one. */
export function redis(): Promise<Broker> {
  return named("REDIS_URL") ?? startRedis();
}

/** memcached: the one of `MEMCACHED_ADDRESS` (`host:port`), else a fresh one. */
export function memcached(): Promise<Broker> {
  return named("MEMCACHED_ADDRESS") ?? startMemcached();
}

/** PostgreSQL: the one of `POSTGRES_URL` (`postgres://user@host:port/database`), else a fresh one. */
export function postgres(): Promise<Broker> {
  return named("POSTGRES_URL") ?? startPostgres();
}

function named(variable: string): Promise<Broker> | undefined {
  const address = process.env[variable];
  if (address === undefined || address === "") return undefined;
  return Promise.resolve({ address, stop: async () => undefined });
}
