import { type RunningGateway, type ServeOptions, serveGateway } from "../../../runtime/gateway/serve.ts";
import type { ApiDefinition, GatewayDefinition, StreamFactory } from "../../../runtime/gateway.ts";
import type { Limits } from "../../../runtime/http/listener-limits.ts";
import { createLogger, type LogLevel } from "../../../runtime/process/log.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";

/** A gateway on free loopback ports, with its log lines. */
export interface TestGateway extends RunningGateway {
  readonly url: string;
  readonly admin: string;
  /** The log lines so far, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export interface TestGatewayOptions extends ServeOptions {
  readonly streaming?: boolean;
  readonly maxBodyBytes?: number;
  readonly limits?: Omit<Limits, "max_body_bytes">;
  readonly level?: LogLevel;
  readonly analytics?: GatewayDefinition["analytics"];
  /** Additional parts of its definition. */
  readonly parts?: Pick<GatewayDefinition, "store" | "keys" | "oauth" | "portal" | "tls" | "trustedProxies">;
}

/** Serves `apis`. The environment contains only addresses and what the options add. */
export async function startGateway(
  apis: readonly ApiDefinition[],
  {
    streaming = true,
    maxBodyBytes,
    limits,
    level = "debug",
    analytics,
    parts,
    ...options
  }: TestGatewayOptions = {},
): Promise<TestGateway> {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger(level, { write: (line) => lines.push(JSON.parse(line)) });
  const gateway = await serveGateway(
    {
      streaming: { enabled: streaming },
      apis,
      ...parts,
      ...(analytics !== undefined && { analytics }),
      limits: { ...limits, ...(maxBodyBytes !== undefined && { max_body_bytes: maxBodyBytes }) },
    },
    {
      backoff: { first: 5, longest: 20 },
      demandGrace: 20,
      log,
      ...options,
      environment: {
        GW_LISTEN: "127.0.0.1:0",
        GW_ADMIN_LISTEN: "127.0.0.1:0",
        GW_SHUTDOWN_TIMEOUT: "5s",
        ...options.environment,
      },
    },
  );
  return { ...gateway, url: gateway.addresses.gateway, admin: gateway.addresses.admin ?? "", lines };
}

/** Returns an API at `/orders/` with the given streams. */
export function ordersApi(streams: Readonly<Record<string, StreamFactory>>, target?: string): ApiDefinition {
  return {
    id: "orders",
    listenPath: "/orders/",
    streams,
    ...(target !== undefined && { upstream: () => proxyTo({ url: target }) }),
  };
}
