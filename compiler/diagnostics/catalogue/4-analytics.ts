// Document meaning: metrics, traces and records of a gateway.

import { entry } from "../diagnostic.ts";
import { replaceText } from "../fixes/respell.ts";

export const analyticsEntries = {
  GW4240: entry<{ path: string }>({
    slug: "collector-path-twice",
    severity: "warning",
    message: (d) => `\`${d.path}\` is appended automatically, so the address must not end with it.`,
    hint: (d) => `Remove \`${d.path}\` from the address.`,
    fix: (_, span) => replaceText(span, "", true),
  }),
  GW4241: entry<Record<never, never>>({
    slug: "collector-port-of-grpc",
    severity: "warning",
    message: () => "Port 4317 is the gRPC port of collectors, but the gateway sends HTTP.",
    hint: () => "Use the HTTP port, 4318 by default.",
    fix: (_, span) => replaceText(span, "4318", false),
  }),
  GW4242: entry<Record<never, never>>({
    slug: "exporter-of-nothing",
    severity: "warning",
    message: () => "`opentelemetry` sends neither metrics nor traces.",
    hint: () => "Enable one of them, or remove the block.",
  }),
  GW4243: entry<{ name: string }>({
    slug: "metric-name-of-the-gateway",
    severity: "warning",
    message: (d) => `\`${d.name}\` starts with \`sluice_\`, which is reserved for the gateway's own metrics.`,
    hint: () => "Choose another prefix; Prometheus rejects two metrics with one name.",
  }),
};
