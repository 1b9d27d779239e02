// The one table by which the compiler knows the runtime: which module exports the function that makes a
// component. A test proves that each row is a real export.

/** A function of the runtime, for emitted code to import. */
export interface RuntimeLink {
  /** Module path below the package: `runtime/connectors/kafka/input.ts`. */
  readonly module: string;
  readonly symbol: string;
}

type Links = Readonly<Record<string, RuntimeLink>>;

/** Inputs by their name in documents. */
export const inputLinks: Links = {
  broker: { module: "runtime/connectors/broker/input.ts", symbol: "brokerInput" },
  http_client: { module: "runtime/connectors/http-client/input.ts", symbol: "httpClientInput" },
  http_server: { module: "runtime/connectors/http-server/input.ts", symbol: "httpServerInput" },
  kafka: { module: "runtime/connectors/kafka/input.ts", symbol: "kafkaInput" },
  mqtt: { module: "runtime/connectors/mqtt/input.ts", symbol: "mqttInput" },
  nats: { module: "runtime/connectors/nats/input.ts", symbol: "natsInput" },
  websocket_server: {
    module: "runtime/connectors/websocket-server/input.ts",
    symbol: "websocketServerInput",
  },
};

/** Outputs by their name in documents. */
export const outputLinks: Links = {
  broker: { module: "runtime/connectors/broker/output.ts", symbol: "brokerOutput" },
  http_client: { module: "runtime/connectors/http-client/output.ts", symbol: "httpClientOutput" },
  http_server: { module: "runtime/connectors/http-server/output.ts", symbol: "httpServerOutput" },
  kafka: { module: "runtime/connectors/kafka/output.ts", symbol: "kafkaOutput" },
  mqtt: { module: "runtime/connectors/mqtt/output.ts", symbol: "mqttOutput" },
  nats: { module: "runtime/connectors/nats/output.ts", symbol: "natsOutput" },
  websocket_server: {
    module: "runtime/connectors/websocket-server/output.ts",
    symbol: "websocketServerOutput",
  },
};

/** Processors by their name in documents. */
export const processorLinks: Links = {
  bloblang: { module: "runtime/processors/mapping.ts", symbol: "mapping" },
  branch: { module: "runtime/processors/branch.ts", symbol: "branch" },
  http: { module: "runtime/processors/http.ts", symbol: "http" },
  mapping: { module: "runtime/processors/mapping.ts", symbol: "mapping" },
  switch: { module: "runtime/processors/switch.ts", symbol: "switchCases" },
};

/** What every emitted gateway imports. */
export const gatewayLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineGateway" };

/** All rows, for the test that proves them. */
export function allLinks(): readonly RuntimeLink[] {
  return [
    gatewayLink,
    ...Object.values(inputLinks),
    ...Object.values(outputLinks),
    ...Object.values(processorLinks),
  ];
}
