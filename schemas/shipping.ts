// Facts about components for shipping a gateway: the ports they connect to, and whether their lag can be measured.

/** The default ports of address schemes. */
export const schemePorts: Readonly<Record<string, number>> = {
  ...{ http: 80, https: 443, ws: 80, wss: 443, nats: 4222, tls: 4222, mqtt: 1883, mqtts: 8883 },
  ...{ tcp: 1883, ssl: 8883, amqp: 5672, amqps: 5671, redis: 6379, rediss: 6379 },
  ...{ postgres: 5432, postgresql: 5432, smtp: 25, smtps: 465 },
};

/** The default ports of components whose addresses have no scheme, by the beginning of the component's name. */
const componentPorts: readonly (readonly [RegExp, number])[] = [
  [/^kafka/, 9092],
  [/^nats/, 4222],
  [/^mqtt/, 1883],
  [/^amqp/, 5672],
  [/^redis/, 6379],
  [/^sql/, 5432],
];

/** Fields of components that contain addresses, with or without a scheme. */
export const addressFields: ReadonlySet<string> = new Set([
  ...["addresses", "seed_brokers", "urls", "url", "dsn"],
]);

/** Returns the default port of a component's connections; `undefined` if its addresses always have a scheme. */
export function usualPort(component: string): number | undefined {
  return componentPorts.find(([pattern]) => pattern.test(component))?.[1];
}

/** Whether servers tell the component the addresses of further servers, which no document contains. */
export function findsFurtherServers(component: string): boolean {
  return component.startsWith("kafka");
}

/** Returns the KEDA scaler that measures the consumer lag of an input; `undefined` if there is none. */
export function lagScaler(input: string): string | undefined {
  return input === "kafka" || input === "kafka_franz" ? "kafka" : undefined;
}
