// Document meaning: what streams, routes and the parts of a set do together once they run.

import { entry } from "../diagnostic.ts";
import { quoteAll } from "../quote-all.ts";

type Closest = string | undefined;

export const streamEntries = {
  GW4050: entry<{ path: string; api: string; listenPath: string }>({
    slug: "route-hidden",
    severity: "error",
    message: (d) =>
      `No request reaches \`${d.path}\`; the API \`${d.api}\` answers below \`${d.listenPath}\`.`,
    hint: () => "Give the endpoint another path, or one of the APIs another listen path.",
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
    message: (d) => `\`${d.path}\` differs from the declared \`${d.declared}\` in ${d.difference}.`,
    hint: (d) => `Write \`${d.declared}\`, or declare \`${d.path}\` too.`,
  }),
  GW4273: entry<{ path: string; name: string; closest: Closest; names: readonly string[] }>({
    slug: "parameter-not-in-path",
    severity: "warning",
    message: (d) => `The path \`${d.path}\` has no parameter \`${d.name}\`.`,
    hint: (d) => {
      const [only] = d.names.length === 1 ? d.names : [d.closest];
      return only === undefined
        ? `Write \`{${d.name}}\` where it stands in the path, or remove it.`
        : `Did you mean \`${only}\`?`;
    },
  }),
  GW4274: entry<{ segment: string }>({
    slug: "colon-parameter",
    severity: "warning",
    message: (d) => `\`${d.segment}\` stands for these characters, and is no parameter.`,
    hint: (d) => `Write \`{${d.segment.slice(1)}}\` for one.`,
  }),
  GW4053: entry<{ path: string; closest: Closest }>({
    slug: "path-not-declared",
    severity: "info",
    message: (d) => `\`${d.path}\` is not among the \`paths\` of this document.`,
    hint: (d) =>
      d.closest === undefined
        ? "Declare it, so that the description tells callers of it."
        : `Did you mean \`${d.closest}\`?`,
  }),
  GW4054: entry<{ verb: string; path: string; served: readonly string[] }>({
    slug: "declared-verb-refused",
    severity: "warning",
    message: (d) =>
      `\`${d.verb} ${d.path}\` is answered with 405; streams serve ${quoteAll(d.served)} there.`,
    hint: (d) => `Add \`${d.verb}\` to \`allowed_verbs\`, or remove the operation.`,
  }),
  GW4055: entry<{ credential: string; scheme: string; output: string }>({
    slug: "credential-reaches-broker",
    severity: "warning",
    message: (d) => `\`${d.output}\` sends the credential \`${d.credential}\` of \`${d.scheme}\` along.`,
    hint: (d) => `Add a mapping before it: \`meta ${nameOfMetadata(d.credential)} = deleted()\`.`,
  }),
  GW4056: entry<{ credential: string; target: string; output: string }>({
    slug: "credential-copied",
    severity: "warning",
    message: (d) =>
      `This copies the credential \`${d.credential}\` into ${d.target}, which \`${d.output}\` sends.`,
    hint: () => 'Leave it out, or keep a digest of it with `.hash("sha256")`.',
  }),
  GW4057: entry<{ header: string }>({
    slug: "credential-never-metadata",
    severity: "warning",
    message: (d) => `\`${d.header}\` never becomes metadata of a request, so this is always null.`,
    hint: () => "Use a header of another name for what messages have to carry.",
  }),
  GW4058: entry<{ id: string }>({
    slug: "client-id-twice",
    severity: "error",
    message: (d) => `Two clients of one broker are named \`${d.id}\` and disconnect each other.`,
    hint: () => "Give each its own `client_id`, or leave it out.",
  }),
  GW4059: entry<{ id: string }>({
    slug: "client-id-of-every-gateway",
    severity: "warning",
    message: (d) => `Several gateways connect as \`${d.id}\` and disconnect each other.`,
    hint: () => "Take part of it from the environment, as in `orders-${HOSTNAME}`, or leave it out.",
  }),
  GW4060: entry<{ clause: string; hint: string }>({
    slug: "read-by-every-gateway",
    severity: "info",
    message: (d) => `Each of several gateways ${d.clause}.`,
    hint: (d) => d.hint,
  }),
  GW4061: entry<{ stream: string }>({
    slug: "clients-of-one-gateway",
    severity: "info",
    message: (d) => `Messages of \`${d.stream}\` reach only clients of the gateway that took them.`,
    hint: () => "Put a broker between input and output, or send each client to one gateway.",
  }),
  GW4062: entry<{ endpoint: string }>({
    slug: "fan-out-waits-for-clients",
    severity: "warning",
    message: (d) => `Other outputs of this \`fan_out\` wait while \`${d.endpoint}\` has no client.`,
    hint: () => "Serve clients from a stream of their own that reads what another output wrote.",
  }),
  GW4063: entry<Record<never, never>>({
    slug: "poll-without-pause",
    severity: "warning",
    message: () => "Without `rate_limit` each request follows the last reply at once.",
    hint: () => "Add the time between requests, such as `rate_limit: 60s`.",
  }),
  GW4064: entry<{ fromOldest: boolean }>({
    slug: "no-consumer-group",
    severity: "info",
    message: (d) =>
      d.fromOldest
        ? "Without `consumer_group` each start reads and sends everything again."
        : "Without `consumer_group` records written while the gateway is stopped are passed over.",
    hint: () => "Add `consumer_group`, under which Kafka keeps how far reading got.",
  }),
  GW4065: entry<{ field: string }>({
    slug: "message-in-connection-field",
    severity: "warning",
    message: (d) => `\`${d.field}\` is read on connecting, when there is no message yet.`,
    hint: () => "Write a fixed text, or an environment variable as `${NAME}`.",
  }),
  GW4066: entry<{ api: string; closest: Closest }>({
    slug: "access-to-unknown-api",
    severity: "error",
    message: (d) => `No API of this set has the id \`${d.api}\`.`,
    hint: (d) => closestOr(d.closest, "Write the `x-gw-api-gateway.info.id` of a document."),
  }),
  GW4067: entry<{ api: string; version: string; closest: Closest }>({
    slug: "access-to-unknown-version",
    severity: "error",
    message: (d) => `The API \`${d.api}\` has no version \`${d.version}\`.`,
    hint: (d) => closestOr(d.closest, "Write `Default`, or a name of its `info.versioning.versions`."),
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
        ? "Write a regular expression for paths below the listen path, such as `^/orders`."
        : "Name methods that the path is served for.",
  }),
  GW4069: entry<{ api: string }>({
    slug: "quota-counts-connections",
    severity: "info",
    message: (d) => `A socket or event stream of \`${d.api}\` counts once, whatever it carries.`,
    hint: () => "Do not take `quota_max` for a number of messages.",
  }),
  GW4070: entry<{ policy: string; closest: Closest }>({
    slug: "unknown-policy",
    severity: "error",
    message: (d) => `There is no policy \`${d.policy}\`.`,
    hint: (d) => closestOr(d.closest, "Write the `id` of an entry of `policies`."),
  }),
  GW4071: entry<{ scheme: string; closest: Closest }>({
    slug: "unknown-security-scheme",
    severity: "error",
    message: (d) => `\`components.securitySchemes\` has no scheme \`${d.scheme}\`.`,
    hint: (d) => closestOr(d.closest, "Describe the scheme there, or do not name it."),
  }),
  GW4072: entry<{ address: string; other: string }>({
    slug: "listeners-share-a-port",
    severity: "error",
    message: (d) => `\`${d.address}\` is taken: \`${d.other}\` listens at that port too.`,
    hint: () => "Give each listener a port of its own.",
  }),
  GW4073: entry<Record<never, never>>({
    slug: "ping-without-pause",
    severity: "error",
    message: () => "Pings would follow each other without a pause.",
    hint: () => "Write the time between pings, such as `54s`.",
  }),
  GW4193: entry<Readonly<Record<never, never>>>({
    slug: "standard-input-read-twice",
    severity: "error",
    message: () => "Another input of this gateway reads its standard input.",
    hint: () => "Read it once, and hand the messages on by `inproc`.",
  }),
  GW4167: entry<{ path: string }>({
    slug: "answers-read-as-messages",
    severity: "error",
    message: (d) =>
      `The input reads the frames at \`${d.path}\`, so clients cannot answer there for what they get.`,
    hint: () => "Give the output a path of its own, or leave `ack: client` out.",
  }),
};

function closestOr(closest: Closest, otherwise: string): string {
  return closest === undefined ? otherwise : `Did you mean \`${closest}\`?`;
}

/** As `meta` takes it: names that are no plain words stand in quotes. */
function nameOfMetadata(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `"${name}"`;
}
