// A gateway with every kind of route, for tests of the listener in front of them.

import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { type RunningGateway, serveGateway } from "../../../runtime/gateway/serve.ts";
import type { GatewayDefinition } from "../../../runtime/gateway.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { type ManualInput, type MemoryOutput, manualInput, memoryOutput } from "../gateway/components.ts";

/** A gateway that serves `/orders/new` (producer), `/orders/events` (consumers) and `/orders/chat` (both, sockets). */
export interface ServedGateway extends RunningGateway {
  /** `http://…` or `https://…`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The messages that the producers' routes accepted. */
  readonly output: MemoryOutput;
  /** The input whose deliveries go to the consumers. */
  readonly source: ManualInput;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

/** Serves on free loopback ports. `definition` adds to the default definition and overrides parts of it. */
export async function serveWith(definition: Partial<GatewayDefinition>): Promise<ServedGateway> {
  const lines: Record<string, unknown>[] = [];
  const output = memoryOutput();
  const source = manualInput();
  const streams = {
    intake: () => ({ input: httpServerInput({ path: "/new", ws_path: "/chat" }), output }),
    feed: () => ({ input: source, output: httpServerOutput({ path: "/events", heartbeat: 0 }) }),
  };
  const gateway = await serveGateway(
    {
      streaming: { enabled: true },
      apis: [{ id: "orders", listenPath: "/orders/", logged: true, streams }],
      ...definition,
    },
    {
      log: createLogger("debug", { write: (line) => lines.push(JSON.parse(line)) }),
      environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", GW_SHUTDOWN_TIMEOUT: "5s" },
    },
  );
  const url = gateway.addresses.gateway;
  return { ...gateway, url, port: Number(new URL(url).port), output, source, lines };
}
