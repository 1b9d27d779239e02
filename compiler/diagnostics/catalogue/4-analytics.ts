// Document meaning: what counts and records in a gateway.

import { entry } from "../diagnostic.ts";
import { replaceText } from "../fixes/respell.ts";

export const analyticsEntries = {
  GW4240: entry<{ path: string }>({
    slug: "collector-path-twice",
    severity: "warning",
    message: (d) => `\`${d.path}\` is appended anyway, so requests would go to another path.`,
    hint: (d) => `Take \`${d.path}\` off the address.`,
    fix: (_, span) => replaceText(span, "", true),
  }),
  GW4241: entry<Record<never, never>>({
    slug: "collector-port-of-grpc",
    severity: "warning",
    message: () => "Port 4317 is where collectors speak gRPC; the gateway speaks HTTP.",
    hint: () => "Use the port for HTTP, which is 4318 unless the collector says otherwise.",
    fix: (_, span) => replaceText(span, "4318", false),
  }),
  GW4242: entry<Record<never, never>>({
    slug: "exporter-of-nothing",
    severity: "warning",
    message: () => "`opentelemetry` sends neither metrics nor traces.",
    hint: () => "Turn one of them on, or remove the block.",
  }),
  GW4243: entry<{ name: string }>({
    slug: "metric-name-of-the-gateway",
    severity: "warning",
    message: (d) => `\`${d.name}\` begins with \`sluice_\`, as the gateway's own numbers do.`,
    hint: () => "Let the name begin otherwise; Prometheus takes no two numbers of one name.",
  }),
};
