// Document meaning: how streams, routes and the documents of a set interact at run time.

import { entry } from "../diagnostic.ts";
import { replaceString, respellPart } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

type Closest = string | undefined;

export const streamEntries = {
  GW4050: entry<{ path: string; api: string; listenPath: string }>({
    slug: "route-hidden",
    severity: "error",
    message: (d) => `No request reaches \`${d.path}\`: the API \`${d.api}\` serves \`${d.listenPath}\`.`,
    hint: () => "Change the path of the endpoint, or the listen path of one of the APIs.",
  }),
  GW4051: entry<{ path: string; served: readonly string[]; declared: readonly string[] }>({
    slug: "verbs-not-declared",
    severity: "warning",
    message: (d) =>
      `\`${d.path}\` is declared for ${quoteAll(d.declared)}, but served for ${quoteAll(d.served)}.`,
    hint: (d) => `Serve ${quoteAll(d.declared)} here, or declare ${quoteAll(d.served)} in \`paths\`.`,
  }),
  GW4052: entry<{ path: string; declared: string; difference: string }>({
    slug: "path-almost-declared",
    severity: "warning",
    message: (d) => `\`${d.path}\` differs from the declared path \`${d.declared}\` in ${d.difference}.`,
    hint: (d) => `Write \`${d.declared}\`, or declare \`${d.path}\` in \`paths\`.`,
    fix: (d, span) => respellPart(span, d.path, d.declared),
  }),
  GW4273: entry<{ path: string; name: string; closest: Closest; names: readonly string[] }>({
    slug: "parameter-not-in-path",
    severity: "warning",
    message: (d) => `The path \`${d.path}\` has no parameter \`${d.name}\`.`,
    hint: (d) => {
      const only = onlyOf(d);
      return only === undefined
        ? `Add \`{${d.name}}\` to the path, or remove the parameter.`
        : `Did you mean \`${only}\`?`;
    },
    fix: (d, span) => respellPart(span, d.name, onlyOf(d)),
  }),
  GW4274: entry<{ segment: string }>({
    slug: "colon-parameter",
    severity: "warning",
    message: (d) => `\`${d.segment}\` matches literally; it is not a parameter.`,
    hint: (d) => `Write \`{${d.segment.slice(1)}}\` for a parameter.`,
    fix: ({ segment }, span) => {
      const { source, start, end } = span;
      const path = source.text.slice(start, end).split("/");
      const named = path.map((each) => (each === segment ? `{${segment.slice(1)}}` : each));
      return replaceString(span, named.join("/"));
    },
  }),
  GW4053: entry<{ path: string; closest: Closest }>({
    slug: "path-not-declared",
    severity: "info",
    message: (d) => `\`${d.path}\` is not declared in \`paths\`.`,
    hint: (d) =>
      d.closest === undefined
        ? "Declare it, so that the OpenAPI document describes it."
        : `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.path, d.closest),
  }),
  GW4054: entry<{ verb: string; path: string; served: readonly string[] }>({
    slug: "declared-verb-refused",
    severity: "warning",
    message: (d) =>
      `\`${d.verb} ${d.path}\` is declared but answers 405; streams serve only ${quoteAll(d.served)}.`,
    hint: (d) => `Add \`${d.verb}\` to \`allowed_verbs\`, or remove the operation.`,
  }),
  GW4055: entry<{ credential: string; scheme: string; output: string }>({
    slug: "credential-reaches-broker",
    severity: "warning",
    message: (d) =>
      `\`${d.output}\` sends \`${d.credential}\`, the credential of \`${d.scheme}\`, as metadata.`,
    hint: (d) =>
      `Remove it in a mapping before the output: \`meta ${nameOfMetadata(d.credential)} = deleted()\`.`,
  }),
  GW4056: entry<{ credential: string; target: string; output: string }>({
    slug: "credential-copied",
    severity: "warning",
    message: (d) =>
      `This copies the credential \`${d.credential}\` into ${d.target}, which \`${d.output}\` sends.`,
    hint: () => 'Remove it, or store a hash of it with `.hash("sha256")`.',
  }),
  GW4057: entry<{ header: string }>({
    slug: "credential-never-metadata",
    severity: "warning",
    message: (d) => `The header \`${d.header}\` is never metadata, so this is always null.`,
    hint: () => "Send the value in another header.",
  }),
  GW4058: entry<{ id: string }>({
    slug: "client-id-twice",
    severity: "error",
    message: (d) => `Two clients connect to one broker as \`${d.id}\` and disconnect each other.`,
    hint: () => "Set a unique `client_id` for each, or `dynamic_client_id_suffix: nanoid`.",
  }),
  GW4059: entry<{ id: string }>({
    slug: "client-id-of-every-gateway",
    severity: "warning",
    message: (d) => `All replicas connect as \`${d.id}\` and disconnect each other.`,
    hint: () =>
      "Set `dynamic_client_id_suffix: nanoid`, or add a variable that differs per replica, as in `orders-${HOSTNAME}`.",
  }),
  GW4060: entry<{ clause: string; hint: string; canBeLeased: boolean }>({
    slug: "read-by-every-gateway",
    severity: "info",
    message: (d) => `Each replica ${d.clause}.`,
    hint: (d) => (d.canBeLeased ? `${d.hint} Or configure \`leases\`: one replica then reads.` : d.hint),
  }),
  GW4061: entry<{ stream: string; hasRedis: boolean }>({
    slug: "clients-of-one-gateway",
    severity: "info",
    message: (d) => `Messages of \`${d.stream}\` reach only clients of the replica that received them.`,
    hint: (d) =>
      d.hasRedis
        ? "Write them to `redis_pubsub`, and serve the clients from a second stream that reads it with `distribution: broadcast`."
        : "Write them to a broker, and serve the clients from a second stream that reads it. Or route all clients to one replica.",
  }),
  GW4062: entry<{ endpoint: string }>({
    slug: "fan-out-waits-for-clients",
    severity: "warning",
    message: (d) => `The other outputs of this \`fan_out\` wait while \`${d.endpoint}\` has no client.`,
    hint: () => "Serve clients from a separate stream that reads from a broker.",
  }),
  GW4063: entry<Record<never, never>>({
    slug: "poll-without-pause",
    severity: "warning",
    message: () => "Without `rate_limit`, requests are sent one after another without a pause.",
    hint: () => "Add the time between requests, such as `rate_limit: 60s`.",
  }),
  GW4064: entry<{ fromOldest: boolean; isRedis: boolean }>({
    slug: "no-consumer-group",
    severity: "info",
    message: (d) =>
      d.fromOldest
        ? `Without \`consumer_group\`, each start reads all ${d.isRedis ? "entries" : "records"} again.`
        : `Without \`consumer_group\`, ${d.isRedis ? "entries" : "records"} written while the gateway is stopped are skipped.`,
    hint: (d) =>
      `Add \`consumer_group\`, so that ${d.isRedis ? "Redis keeps what was read" : "Kafka stores the offsets"}.`,
  }),
  GW4065: entry<{ field: string }>({
    slug: "message-in-connection-field",
    severity: "warning",
    message: (d) => `\`${d.field}\` is evaluated on connecting, before any message exists.`,
    hint: () => "Write a literal value, or an environment variable as `${NAME}`.",
  }),
  GW4066: entry<{ api: string; closest: Closest; key?: string }>({
    slug: "access-to-unknown-api",
    severity: "error",
    message: (d) =>
      d.key === undefined || d.closest !== undefined
        ? `Unknown API \`${d.api}\`.`
        : `\`api_id\` is \`${d.api}\`, but this is the right to \`${d.key}\`.`,
    hint: (d) =>
      d.key !== undefined
        ? `Write \`${d.key}\` in both places.`
        : closestOr(d.closest, "Use the `x-gw-api-gateway.info.id` of a document of this set."),
    fix: (d, span) => respellPart(span, d.api, d.closest),
  }),
  GW4067: entry<{ api: string; version: string; closest: Closest }>({
    slug: "access-to-unknown-version",
    severity: "error",
    message: (d) => `Unknown version \`${d.version}\` of the API \`${d.api}\`.`,
    hint: (d) => closestOr(d.closest, "Use `Default`, or a name from its `info.versioning.versions`."),
    fix: (d, span) => respellPart(span, d.version, d.closest),
  }),
  GW4068: entry<{ url: string; api: string; methods: readonly string[] }>({
    slug: "access-matches-nothing",
    severity: "warning",
    message: (d) =>
      d.methods.length === 0
        ? `\`${d.url}\` matches no path of the API \`${d.api}\`.`
        : `\`${d.url}\` with ${quoteAll(d.methods)} matches no route of the API \`${d.api}\`.`,
    hint: (d) =>
      d.methods.length === 0
        ? "Use a regular expression for paths below the listen path, such as `^/orders`."
        : "Use methods that the path is served for.",
  }),
  GW4069: entry<{ api: string }>({
    slug: "quota-counts-connections",
    severity: "info",
    message: (d) => `Quotas of \`${d.api}\` count connections: a socket or an event stream counts once.`,
    hint: () => "Do not rely on `quota_max` to limit messages.",
  }),
  GW4070: entry<{ policy: string; closest: Closest }>({
    slug: "unknown-policy",
    severity: "error",
    message: (d) => `Unknown policy \`${d.policy}\`.`,
    hint: (d) => closestOr(d.closest, "Use the `id` of an entry of `policies`."),
    fix: (d, span) => respellPart(span, d.policy, d.closest),
  }),
  GW4076: entry<Record<never, never>>({
    slug: "streaming-not-enabled",
    severity: "warning",
    message: () => "Streams of these documents do not run, because `streaming.enabled` is not set.",
    hint: () =>
      "Add `streaming: { enabled: true }`. Where `GW_STREAMING_ENABLED` decides, write `enabled: false`.",
  }),
  GW4077: entry<{ ping: string }>({
    slug: "pings-too-rare-for-proxies",
    severity: "warning",
    message: (d) =>
      `Pings every ${d.ping} are too rare: many proxies close connections that are idle for 60s.`,
    hint: () => "Ping at least once a minute, such as `54s`.",
  }),
  GW4078: entry<{ group: string; channel: string; stream: string }>({
    slug: "group-of-several-streams",
    severity: "warning",
    message: (d) =>
      `The stream \`${d.stream}\` reads \`${d.channel}\` in the group \`${d.group}\`, too: each of the two gets a part of the messages.`,
    hint: () => "Give each stream a group of its own.",
  }),
  GW4229: entry<{
    name: string;
    value?: string;
    closest: Closest;
    known: readonly string[];
  }>({
    slug: "server-variable-not-described",
    severity: "warning",
    message: (d) =>
      d.value === undefined
        ? `No entry of \`variables\` describes \`{${d.name}}\`.`
        : `The default \`${d.value}\` of \`${d.name}\` is not one of its values.`,
    hint: (d) =>
      closestOr(
        d.closest,
        d.value === undefined
          ? `Add \`${d.name}\` to \`variables\`, with a default.`
          : `Use one of ${quoteAll(d.known)}.`,
      ),
    fix: (d, span) => respellPart(span, d.value ?? d.name, d.closest),
  }),
  GW4289: entry<{ scheme: string | undefined; address: string | undefined; closest: string }>({
    slug: "address-scheme-misspelt",
    severity: "warning",
    message: (d) =>
      d.scheme === undefined
        ? `\`${d.address}\` is a relative address, because it has no scheme.`
        : `Unknown scheme \`${d.scheme}\` of an address.`,
    hint: (d) => `Did you mean \`${d.closest}\`?`,
    fix: (d, span) => respellPart(span, d.scheme ?? d.address ?? "", d.closest),
  }),
  GW4290: entry<{ path: string }>({
    slug: "path-template-broken",
    severity: "warning",
    message: (d) => `The braces of the path \`${d.path}\` do not enclose the name of a parameter.`,
    hint: () => "Write a parameter as `{name}`, in one segment.",
  }),
  GW4295: entry<{ path: string; name: string }>({
    slug: "path-parameter-not-described",
    severity: "warning",
    message: (d) => `No parameter describes \`{${d.name}}\` of the path \`${d.path}\`.`,
    hint: (d) =>
      `Add \`{ name: ${d.name}, in: path, required: true, schema: { type: string } }\` to \`parameters\`.`,
  }),
  GW4296: entry<{ path: string }>({
    slug: "path-with-query",
    severity: "warning",
    message: (d) => `\`${d.path}\` contains a query, which is no part of a path.`,
    hint: () => "End the path before it, and describe its parameters with `in: query`.",
  }),
  GW4075: entry<{ policy: string; closest: string }>({
    slug: "policy-almost-declared",
    severity: "warning",
    message: (d) => `\`${d.policy}\` is not declared here, but \`${d.closest}\` is.`,
    hint: (d) => `Did you mean \`${d.closest}\`? The store would have to hold \`${d.policy}\`.`,
    fix: (d, span) => respellPart(span, d.policy, d.closest),
  }),
  GW4071: entry<{ scheme: string; closest: Closest }>({
    slug: "unknown-security-scheme",
    severity: "error",
    message: (d) => `Unknown security scheme \`${d.scheme}\`.`,
    hint: (d) => closestOr(d.closest, "Declare it in `components.securitySchemes`, or remove it here."),
    fix: (d, span) => respellPart(span, d.scheme, d.closest),
  }),
  GW4072: entry<{ address: string; other: string }>({
    slug: "listeners-share-a-port",
    severity: "error",
    message: (d) => `\`${d.address}\` is in use: \`${d.other}\` listens on the same port.`,
    hint: () => "Set a different port for each listener.",
  }),
  GW4073: entry<Record<never, never>>({
    slug: "ping-without-pause",
    severity: "error",
    message: () => "`ping_period` must be longer than zero.",
    hint: () => "Set the time between pings, such as `54s`.",
  }),
  GW4074: entry<{ stream: string; output: string }>({
    slug: "broadcast-of-divided-messages",
    severity: "warning",
    message: (d) =>
      `Replicas divide these messages, so that clients of \`${d.output}\` miss those that another replica reads.`,
    hint: () =>
      "Let each replica read every message for its clients: without a group, or from a queue of its own.",
  }),
  GW4193: entry<Readonly<Record<never, never>>>({
    slug: "standard-input-read-twice",
    severity: "error",
    message: () => "Another input of this gateway already reads standard input.",
    hint: () => "Read it in one stream, and pass the messages on with `inproc`.",
  }),
  GW4167: entry<{ path: string }>({
    slug: "answers-read-as-messages",
    severity: "error",
    message: (d) =>
      `The input reads all frames at \`${d.path}\`, so clients cannot acknowledge messages there.`,
    hint: () => "Change the path of the output, or remove `ack: client`.",
  }),
};

function closestOr(closest: Closest, otherwise: string): string {
  return closest === undefined ? otherwise : `Did you mean \`${closest}\`?`;
}

/** Returns a name as `meta` expects it: names that are not plain words are quoted. */
function nameOfMetadata(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `"${name}"`;
}

/** Returns the only parameter of a path that another name can mean. */
function onlyOf({
  names,
  closest,
}: {
  readonly names: readonly string[];
  readonly closest: Closest;
}): Closest {
  return names.length === 1 ? names[0] : closest;
}
