// What is known of components for those who ship a gateway: the ports they connect to, and whose lag can be measured.

/** The ports that schemes of addresses stand for. */
export const schemePorts: Readonly<Record<string, number>> = {
  ...{ http: 80, https: 443, ws: 80, wss: 443, nats: 4222, tls: 4222, mqtt: 1883, mqtts: 8883 },
  ...{ tcp: 1883, ssl: 8883, amqp: 5672, amqps: 5671, redis: 6379, rediss: 6379 },
  ...{ postgres: 5432, postgresql: 5432, smtp: 25, smtps: 465 },
};

/** The ports of components whose addresses name none, by how the names of the components begin. */
const componentPorts: readonly (readonly [RegExp, number])[] = [
  [/^kafka/, 9092],
  [/^nats/, 4222],
  [/^mqtt/, 1883],
  [/^amqp/, 5672],
  [/^redis/, 6379],
  [/^sql/, 5432],
];

/** Fields of components whose texts are addresses, with or without a scheme. */
export const addressFields: ReadonlySet<string> = new Set([
  ...["addresses", "seed_brokers", "urls", "url", "dsn"],
]);

/** The usual port of what a component connects to; `undefined` where its addresses always have a scheme. */
export function usualPort(component: string): number | undefined {
  return componentPorts.find(([pattern]) => pattern.test(component))?.[1];
}

/** Whether the servers tell the component of further ones, by addresses that no document has. */
export function findsFurtherServers(component: string): boolean {
  return component.startsWith("kafka");
}

/** The scaler of KEDA that knows how far the readers of an input are behind; `undefined` where there is none. */
export function lagScaler(input: string): string | undefined {
  return input === "kafka" || input === "kafka_franz" ? "kafka" : undefined;
}
