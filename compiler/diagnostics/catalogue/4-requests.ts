// Document meaning: the listener, versions of APIs and their listen paths, cross-origin requests, and requests that streams
// send.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { replaceText, respellPart } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

/** What carries the name of a version, by `location`. */
const keyed: Readonly<Record<string, string>> = { header: "header", "url-param": "parameter" };

export const listenerEntries = {
  GW4219: entry<{ location: string }>({
    slug: "version-key-missing",
    severity: "error",
    message: (d) =>
      `Missing \`key\`: the name of the ${keyed[d.location] ?? "place"} that selects the version.`,
    hint: () => "Add `key`, such as `key: x-api-version`.",
  }),
  GW4221: entry<{ version: string; api: string; closest: string | undefined }>({
    slug: "version-of-no-api",
    severity: "error",
    message: (d) => `Unknown API \`${d.api}\` for the version \`${d.version}\`.`,
    hint: (d) => (d.closest === undefined ? "Add its document to `apis`." : `Did you mean \`${d.closest}\`?`),
    fix: (d, span) => respellPart(span, d.api, d.closest),
  }),
  GW4222: entry<{ version: string }>({
    slug: "version-twice",
    severity: "error",
    message: (d) => `Duplicate version \`${d.version}\`.`,
    hint: () => "Rename one of them. The API itself is called `Default` unless it has a `name`.",
  }),
  GW4223: entry<{ version: string; closest: string | undefined }>({
    slug: "default-version-missing",
    severity: "error",
    message: (d) => `Unknown default version \`${d.version}\`.`,
    hint: (d) =>
      d.closest === undefined ? "Use the name of a version, or `self`." : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.version, d.closest),
  }),
  GW4224: entry<{ version: string; path: string; other: string }>({
    slug: "version-place-taken",
    severity: "error",
    message: (d) =>
      `Requests for the version \`${d.version}\` go to \`${d.other}\`, which listens at \`${d.path}\`.`,
    hint: () => "Rename the version, or change the listen path of the other API.",
  }),
  GW4225: entry<{ version: string; api: string }>({
    slug: "version-of-versions",
    severity: "error",
    message: (d) => `\`${d.api}\` cannot be the version \`${d.version}\`, because it has its own versions.`,
    hint: () => "List all versions in one API.",
  }),
  GW4226: entry<{ api: string }>({
    slug: "internal-api-unreachable",
    severity: "warning",
    message: (d) => `No request reaches \`${d.api}\`: it is internal and not a version of any API.`,
    hint: () => "Add it to `info.versioning.versions` of another API, or set `internal: false`.",
  }),
  GW4250: entry<Record<never, never>>({
    slug: "client-authority-missing",
    severity: "error",
    message: () => "Client certificates are required, but no certificate authority is configured.",
    hint: () => "Add `client_ca_file`, or set `client_certificates: optional`.",
  }),
  GW4251: entry<{ field: string }>({
    slug: "no-time-at-all",
    severity: "error",
    message: (d) => `\`${d.field}\` must be longer than zero.`,
    hint: () => "Set a timeout such as `30s`. It cannot be disabled.",
  }),
  GW4320: entry<{ field: string }>({
    slug: "overriding-header-allowed",
    severity: "warning",
    message: (d) =>
      `With \`${d.field}\` the upstream may serve another request than the gateway has authorized.`,
    hint: () => "Remove it, unless the upstream applies the same rules to the overriding request.",
  }),
};

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

export interface ComputedHost {
  readonly field: string;
  /** The component has a field for the servers that a message may choose from. */
  readonly mayHaveHosts: boolean;
}

function hostHint({ mayHaveHosts }: ComputedHost): string {
  return mayHaveHosts
    ? "List the permitted servers in `allowed_hosts`."
    : "Write a literal server, or an environment variable as `${NAME}`.";
}

export const requestEntries = {
  GW4190: entry<{ owner: string; field: string; reason: string }>({
    slug: "refused-field",
    severity: "error",
    message: (d) => `\`${d.owner}\` does not support \`${d.field}\`, because ${d.reason}.`,
    hint: (d) => `Remove \`${d.field}\`.`,
    fix: (d, span) => removeEntry(span, d.field),
  }),
  GW4191: entry<{ first: string; second: string }>({
    slug: "several-credentials",
    severity: "warning",
    message: (d) => `${quoteAll([d.first, d.second])} both set the \`Authorization\` header.`,
    hint: () => "Keep one of them.",
  }),
  GW4192: entry<Record<never, never>>({
    slug: "credentials-for-any-origin",
    severity: "warning",
    message: () =>
      "Browsers reject credentials if any origin is allowed, so `allowCredentials` has no effect.",
    hint: () => "List the origins in `allowedOrigins`.",
  }),
  GW4370: entry<ComputedHost>({
    slug: "computed-host",
    severity: "error",
    message: (d) => `A message or a request chooses the server of \`${d.field}\`.`,
    hint: hostHint,
  }),
  GW4371: entry<ComputedHost>({
    slug: "computed-host-after-variable",
    severity: "warning",
    message: (d) => `In \`${d.field}\` a computed value may extend the server's name.`,
    hint: (d) => `Put a \`/\` between the server and the value. ${hostHint(d)}`,
  }),
};

export const limitEntries = {
  GW4353: entry<{ field: string; missing: readonly string[] }>({
    slug: "limit-without-its-number",
    severity: "error",
    message: (d) => `\`${d.field}\` is enabled but has no ${quoteAll(d.missing)}.`,
    hint: () => "Add it, or set `enabled: false`.",
  }),
  GW4220: entry<{ field: string; reason: string }>({
    slug: "limit-limits-nothing",
    severity: "warning",
    message: (d) => `\`${d.field}\` is enabled but has no effect: ${d.reason}.`,
    hint: () => "Set a limit, or disable it.",
  }),
};

export const validationEntries = {
  GW4230: entry<{ id: string; closest: string | undefined }>({
    slug: "unknown-operation",
    severity: "error",
    message: (d) => `Unknown operation \`${d.id}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Use the `operationId` of an operation in `paths`."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => (d.closest === undefined ? undefined : replaceText(span, d.closest, false)),
  }),
  GW4233: entry<{ id: string }>({
    slug: "operation-id-twice",
    severity: "error",
    adjustable: true,
    message: (d) => `Duplicate \`operationId\` \`${d.id}\`.`,
    hint: () => "Change the `operationId` of one of the operations.",
  }),
  GW4231: entry<{ reason: string }>({
    slug: "pattern-not-linear",
    severity: "error",
    message: (d) => `Requests cannot be validated against this pattern: ${d.reason}.`,
    hint: () => "Remove lookarounds and back-references, or disable `validateRequest`.",
  }),
  GW4232: entry<{ segment: string }>({
    slug: "parameter-within-segment",
    severity: "error",
    message: (d) =>
      `Requests to \`${d.segment}\` cannot be validated: a parameter must be a complete segment.`,
    hint: () => "Make the complete segment a parameter, or disable `validateRequest` for the operation.",
  }),
};
