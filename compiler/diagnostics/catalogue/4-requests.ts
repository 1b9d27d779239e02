// Document meaning: the listener, versions of APIs and their listen paths, cross-origin requests, requests that streams
// send, and the variables that each request fills: `$gw_context.…` and `$gw_meta.…`.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { replaceText, respellPart } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

/** A name for which no request of a stream has a value. */
export interface UnknownRequestVariable {
  /** The path of the document that has the parameter, if the path of the endpoint names it differently. */
  readonly declared?: string | undefined;
  readonly name: string;
  readonly closest: string | undefined;
  /** The prefixes of names, such as `headers_`. */
  readonly families: readonly string[];
  /** The variables of the path parameters of the stream, if one of them is missing. */
  readonly parameters?: readonly string[] | undefined;
}

export const requestVariableEntries = {
  GW4160: entry<{ written: string }>({
    slug: "secret-store",
    severity: "error",
    message: (d) => `\`${d.written}\` refers to a secret store, which the gateway does not support.`,
    hint: () => "Mount the secret and write `${file:PATH}`, or use an environment variable, `${NAME}`.",
  }),
  GW4161: entry<UnknownRequestVariable>({
    slug: "unknown-request-variable",
    severity: "error",
    message: (d) =>
      d.declared === undefined
        ? `Unknown request variable \`${d.name}\`.`
        : `This path has no parameter for \`${d.name}\`, which the stream reads.`,
    hint: (d) => {
      if (d.declared !== undefined) return `Write \`${d.declared}\`, as \`paths\` declares it.`;
      if (d.closest !== undefined) return `Did you mean \`${d.closest}\`?`;
      if (d.parameters === undefined)
        return `Use \`path\`, or a name that starts with one of ${quoteAll(d.families)}.`;
      return d.parameters.length === 0
        ? "Add the parameter to a path of this stream, as in `/orders/{id}`."
        : `Use one of ${quoteAll(d.parameters)}, or add the parameter to a path.`;
    },
    fix: ({ closest, name, declared }, span) => {
      if (declared !== undefined) return replaceText(span, declared, false);
      if (closest === undefined) return undefined;
      return replaceText({ ...span, start: span.end - name.length }, closest, false);
    },
  }),
  GW4272: entry<{ source: string }>({
    slug: "unknown-variable-source",
    severity: "error",
    message: (d) => `Unknown source of variables \`${d.source}\`.`,
    hint: () =>
      "Write `$gw_context.` for values of the request, or `$gw_meta.` for metadata of the caller's key.",
  }),
  GW4168: entry<{ source: string }>({
    slug: "request-variable-without-name",
    severity: "error",
    message: (d) => `\`${d.source}\` has no value without a name after it.`,
    hint: (d) =>
      d.source.endsWith("meta")
        ? `Write \`${d.source}.team\`, with a name of the key's metadata.`
        : `Write \`${d.source}.headers_X_Tenant\`, or another value of the request.`,
  }),
  GW4162: entry<{ name: string }>({
    slug: "request-variable-without-bound",
    severity: "warning",
    message: (d) =>
      `\`${d.name}\` differs for nearly every request, and each value starts an instance of the stream.`,
    hint: () => "Use a value that many requests share, such as a tenant or a user.",
  }),
  GW4163: entry<{ name: string }>({
    slug: "request-variable-without-request",
    severity: "error",
    message: (d) => `\`${d.name}\` comes from requests, but no request reaches this stream.`,
    hint: () => "Write a literal value or an environment variable, or add an endpoint to the stream.",
  }),
  GW4164: entry<{ name: string; field: string }>({
    slug: "request-variable-out-of-place",
    severity: "error",
    message: (d) => `\`${d.field}\` cannot read \`${d.name}\`, because it is the same for every request.`,
    hint: () => "Write a literal value, or an environment variable as `${NAME}`.",
  }),
  GW4380: entry<{ name: string; place: "name" | "key" }>({
    slug: "variable-in-a-name",
    severity: "error",
    message: (d) => `\`${d.name}\` has no value inside a ${d.place}.`,
    hint: () => "Write a literal name, and use the variable only in values.",
  }),
  GW4381: entry<{ name: string }>({
    slug: "variable-outside-of-streams",
    severity: "error",
    message: (d) => `\`${d.name}\` has no value here, because this mapping belongs to no stream.`,
    hint: () => 'Write a literal value. Mappings read the environment with `env("NAME")`.',
  }),
  GW4382: entry<{ name: string; field: string }>({
    slug: "request-variable-in-a-pattern",
    severity: "error",
    message: (d) => `\`${d.field}\` is a regular expression and cannot contain \`${d.name}\`.`,
    hint: () => "Write a literal pattern, and compare with the variable in a mapping.",
  }),
  GW4383: entry<{ name: string; field: string }>({
    slug: "variable-that-stays-text",
    severity: "error",
    message: (d) => `\`${d.field}\` does not support variables such as \`${d.name}\`.`,
    hint: () => "Write a literal value.",
  }),
  GW4384: entry<{ part: string; reason: string }>({
    slug: "upstream-that-no-path-follows",
    severity: "error",
    message: (d) => `\`upstream.url\` cannot have a ${d.part}, because ${d.reason}.`,
    hint: () => "Remove the query, the fragment and the user.",
  }),
  GW4385: entry<{ scheme: string; reason: string }>({
    slug: "key-that-verifies-nothing",
    severity: "error",
    message: (d) => `The \`source\` of \`${d.scheme}\` is not a key for its \`signingMethod\`: ${d.reason}.`,
    hint: () => "Write the key, or read a mounted file when the gateway starts: `${file:PATH}`.",
  }),
  GW4386: entry<Record<never, never>>({
    slug: "certificate-that-is-none",
    severity: "error",
    message: () => "This is not a valid PEM certificate.",
    hint: () => "Write the complete certificate, or its SHA-256 fingerprint.",
  }),
  GW4165: entry<{ name: string }>({
    slug: "request-variables-switched-off",
    severity: "error",
    message: (d) =>
      `\`${d.name}\` is not available: \`middleware.global.contextVariables.enabled\` is \`false\`.`,
    hint: () => "Set it to `true`, or remove it.",
  }),
  GW4300: entry<{ variables: readonly string[]; what: string }>({
    slug: "wildcards-from-clients",
    severity: "warning",
    message: (d) =>
      `Clients can put wildcards into ${quoteAll(d.variables)} and read data of others through this ${d.what}.`,
    hint: () =>
      "Remove `allow_wildcards`, or verify that every caller may read everything below this pattern.",
  }),
  GW4301: entry<{ what: string }>({
    slug: "wildcards-without-variables",
    severity: "warning",
    message: (d) =>
      `\`allow_wildcards\` has no effect: the patterns of this ${d.what} contain no value of a request or a message.`,
    hint: () => "Remove `allow_wildcards`.",
    fix: (_, span) => removeEntry(span, "allow_wildcards"),
  }),
  GW4166: entry<{ name: string }>({
    slug: "request-variable-of-a-caller",
    severity: "error",
    message: (d) => `\`${d.name}\` comes from the caller's credential, which this API does not require.`,
    hint: () => "Enable `server.authentication` for a scheme of `security`, or use a value of the request.",
  }),
};

/** The part of the request that contains the name of a version, by `location`. */
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
  /** Whether the component has a field for the servers that a message may choose from. */
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
    message: () => "The pages of every host are allowed, so `allowCredentials` has no effect.",
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
  GW4220: entry<{ field: string; reason: string; hint?: string }>({
    slug: "limit-limits-nothing",
    severity: "warning",
    message: (d) => `\`${d.field}\` is enabled but has no effect: ${d.reason}.`,
    hint: (d) => d.hint ?? "Set a limit, or disable it.",
  }),
  GW4282: entry<{ status: string; declared: readonly string[]; isDefault: boolean }>({
    slug: "status-not-declared",
    severity: "warning",
    message: (d) => `The operation does not declare the status ${d.status}.`,
    hint: (d) =>
      d.isDefault
        ? `It declares ${quoteAll(d.declared)}. Set \`status\` of \`sync_response\`, or declare ${d.status}, its default.`
        : `It declares ${quoteAll(d.declared)}. Write that, or declare ${d.status} below \`responses\`.`,
  }),
  GW4283: entry<{ declared: string; path: string }>({
    slug: "events-declared-as-another-type",
    severity: "info",
    message: (d) => `\`${d.path}\` answers with \`text/event-stream\`, and declares only \`${d.declared}\`.`,
    hint: () => "Declare `text/event-stream`, with the schema of a message.",
  }),
  GW4280: entry<Record<never, never>>({
    slug: "quota-never-renewed",
    severity: "warning",
    message: () => "This quota is never renewed: when it is used up, access ends.",
    hint: () => "Add `quota_renewal_rate` in seconds, such as `86400`, or `0` if this is intended.",
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
  GW4234: entry<{ operation: string | undefined }>({
    slug: "validation-without-schemas",
    severity: "warning",
    message: (d) =>
      d.operation === undefined
        ? "`validateRequest` is enabled, but no operation declares parameters or a schema of a JSON, form or text body."
        : `\`validateRequest\` is enabled for \`${d.operation}\`, which declares no parameters and no schema of a JSON, form or text body.`,
    hint: () => "Declare them in `paths`, or set `enabled: false`.",
  }),
  GW4233: entry<{ id: string }>({
    slug: "operation-id-twice",
    severity: "error",
    adjustable: true,
    message: (d) => `Duplicate \`operationId\` \`${d.id}\`.`,
    hint: () => "Change the `operationId` of one of the operations.",
  }),
  GW4231: entry<{ reason: string; property?: string | undefined }>({
    slug: "pattern-not-linear",
    severity: "error",
    message: (d) => `Requests cannot be validated against this pattern: ${d.reason}.`,
    hint: ({ reason, property }) => {
      if (property !== undefined) return `Write \`${property}\`.`;
      if (/\\p\{/i.test(reason))
        return "Write a category or a script that RE2 knows, such as `\\p{L}` or `\\p{Greek}`.";
      if (reason.includes("repeat count")) return "Repeat parts at most 1000 times, or use `maxLength`.";
      return "Remove lookarounds and back-references, or disable `validateRequest`.";
    },
  }),
  GW4232: entry<{ segment: string }>({
    slug: "parameter-within-segment",
    severity: "error",
    message: (d) =>
      `Requests to \`${d.segment}\` cannot be validated: a parameter must be a complete segment.`,
    hint: () => "Make the complete segment a parameter, or disable `validateRequest` for the operation.",
  }),
};
