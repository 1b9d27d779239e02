// The one table by which the compiler knows the runtime: which module exports the function that makes a
// component. A test proves that each row is a real export.

import { invariant } from "../diagnostics/invariant.ts";
import type { ComponentPlan } from "../plan/plan.ts";

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
  catch: { module: "runtime/processors/catch.ts", symbol: "catchFlagged" },
  for_each: { module: "runtime/processors/for-each.ts", symbol: "forEach" },
  http: { module: "runtime/processors/http.ts", symbol: "http" },
  log: { module: "runtime/processors/log.ts", symbol: "log" },
  mapping: { module: "runtime/processors/mapping.ts", symbol: "mapping" },
  mutation: { module: "runtime/processors/mapping.ts", symbol: "mutation" },
  noop: { module: "runtime/processors/noop.ts", symbol: "noop" },
  parallel: { module: "runtime/processors/parallel.ts", symbol: "parallel" },
  processors: { module: "runtime/processors/processors.ts", symbol: "inOrder" },
  retry: { module: "runtime/processors/retry.ts", symbol: "retry" },
  sleep: { module: "runtime/processors/sleep.ts", symbol: "sleep" },
  split: { module: "runtime/processors/split.ts", symbol: "split" },
  switch: { module: "runtime/processors/switch.ts", symbol: "switchCases" },
  try: { module: "runtime/processors/try.ts", symbol: "tryInOrder" },
  while: { module: "runtime/processors/while.ts", symbol: "whileHolds" },
};

/** `http_server` without sockets: such a gateway carries no WebSocket code. */
const plainInput = {
  module: "runtime/connectors/http-server/plain-input.ts",
  symbol: "plainHttpServerInput",
};
const plainOutput = {
  module: "runtime/connectors/http-server/plain-output.ts",
  symbol: "plainHttpServerOutput",
};

/** The function that makes a component, as small as its options allow. */
export function linkOf(component: ComponentPlan): RuntimeLink {
  const { role, name } = component;
  if (name === "http_server" && !hasOption(component, "ws_path")) {
    if (role === "input") return plainInput;
    // With `path` alone, a client that asks for a socket gets one.
    if (role === "output" && hasOption(component, "stream_path")) return plainOutput;
  }
  const links = { input: inputLinks, output: outputLinks, processor: processorLinks }[role];
  const link = Object.hasOwn(links, name) ? links[name] : undefined;
  invariant(link !== undefined, `the ${role} \`${name}\` has a runtime`);
  return link;
}

function hasOption({ options }: ComponentPlan, name: string): boolean {
  return options.fields.some((field) => field.name === name && !field.defaulted);
}

/** What every emitted gateway imports. */
export const gatewayLink: RuntimeLink = { module: "runtime/gateway.ts", symbol: "defineGateway" };

/** All rows, for the test that proves them. */
export function allLinks(): readonly RuntimeLink[] {
  return [
    gatewayLink,
    plainInput,
    plainOutput,
    ...Object.values(inputLinks),
    ...Object.values(outputLinks),
    ...Object.values(processorLinks),
  ];
}
