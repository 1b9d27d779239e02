import type { Broker } from "./brokers/broker.ts";
import { startKafka } from "./brokers/kafka.ts";
import { startMemcached } from "./brokers/memcached.ts";
import { startMosquitto } from "./brokers/mosquitto.ts";
import { startNats } from "./brokers/nats.ts";
import { startPostgres } from "./brokers/postgres.ts";
import { startRabbitmq } from "./brokers/rabbitmq.ts";
import { startRedis } from "./brokers/redis.ts";

// `npm test` starts each broker once and passes its address in these variables; a test file that runs alone starts its
// own. A test that stops or restarts its broker calls `startKafka` and the like.

/** Apache Kafka: the brokers of `KAFKA_BROKERS` (`host:port`, comma-separated), or a new one. */
export function kafka(): Promise<Broker> {
  return named("KAFKA_BROKERS") ?? startKafka();
}

/** NATS with JetStream: the server of `NATS_URL` (`nats://host:port`), or a new one. */
export function nats(): Promise<Broker> {
  return named("NATS_URL") ?? startNats();
}

/** Mosquitto: the broker of `MQTT_URL` (`mqtt://host:port`), or a new one. */
export function mosquitto(): Promise<Broker> {
  return named("MQTT_URL") ?? startMosquitto();
}

/** RabbitMQ for AMQP 0.9.1 and 1.0: the broker of `RABBITMQ_URL` (`amqp://host:port`), or a new one. */
export function rabbitmq(): Promise<Broker> {
  return named("RABBITMQ_URL") ?? startRabbitmq();
}

/** Redis: the server of `REDIS_URL` (`redis://host:port`), or a new one. */
export function redis(): Promise<Broker> {
  return named("REDIS_URL") ?? startRedis();
}

/** memcached: the server of `MEMCACHED_ADDRESS` (`host:port`), or a new one. */
export function memcached(): Promise<Broker> {
  return named("MEMCACHED_ADDRESS") ?? startMemcached();
}

/** PostgreSQL: the server of `POSTGRES_URL` (`postgres://user@host:port/database`), or a new one. */
export function postgres(): Promise<Broker> {
  return named("POSTGRES_URL") ?? startPostgres();
}

function named(variable: string): Promise<Broker> | undefined {
  const address = process.env[variable];
  if (address === undefined || address === "") return undefined;
  return Promise.resolve({ address, stop: async () => undefined });
}
