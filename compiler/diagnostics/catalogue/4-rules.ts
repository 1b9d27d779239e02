// Document meaning: what one value says about another, within a stream and across a set.

import { entry } from "../diagnostic.ts";
import { replaceText } from "../fixes/respell.ts";

export const ruleEntries = {
  GW4030: entry<{ route: string; stream: string; other: string }>({
    slug: "route-collision",
    severity: "error",
    message: (d) => `The streams \`${d.other}\` and \`${d.stream}\` both serve \`${d.route}\`.`,
    hint: () => "Give one of them another path or other verbs.",
  }),
  GW4031: entry<{ route: string; first: string; second: string }>({
    slug: "route-twice",
    severity: "error",
    message: (d) => `\`${d.first}\` and \`${d.second}\` of one stream both serve \`${d.route}\`.`,
    hint: () => "Give one of them another path, or remove it.",
  }),
  GW4032: entry<{ role: "input" | "output"; fields: readonly string[] }>({
    slug: "no-endpoint",
    severity: "error",
    message: (d) => `This \`http_server\` ${d.role} names no endpoint.`,
    hint: (d) => `Add one of ${d.fields.map((field) => `\`${field}\``).join(", ")}.`,
  }),
  GW4033: entry<{ field: string; needs: readonly string[] }>({
    slug: "field-without-effect",
    severity: "warning",
    message: (d) =>
      `\`${d.field}\` has no effect without ${d.needs.map((name) => `\`${name}\``).join(" or ")}.`,
    hint: (d) => `Add ${d.needs.map((name) => `\`${name}\``).join(" or ")}, or remove \`${d.field}\`.`,
  }),
  GW4034: entry<{ field: string }>({
    slug: "empty-list",
    severity: "error",
    message: (d) => `\`${d.field}\` needs at least one entry.`,
    hint: (d) =>
      d.field === "allowed_verbs"
        ? "Name the methods to let through, or remove the field."
        : `Add an entry to \`${d.field}\`.`,
  }),
  GW4035: entry<Record<never, never>>({
    slug: "case-without-processors",
    severity: "warning",
    message: () => "This case does nothing with the messages it takes.",
    hint: () => "Add `processors`, or remove the case if the messages may go on to later ones.",
  }),
  GW4036: entry<Record<never, never>>({
    slug: "fallthrough-on-last-case",
    severity: "error",
    message: () => "The last case cannot fall through; no case follows it.",
    hint: () => "Remove `fallthrough`, or add a case after it.",
    fix: (_, span) => replaceText(span, "false", true),
  }),
  GW4037: entry<{ name: string }>({
    slug: "unknown-rate-limit",
    severity: "error",
    message: (d) => `There is no rate limit named \`${d.name}\`, and it is no duration.`,
    hint: () => "Write the time between requests, such as `60s`, or declare it in `rate_limit_resources`.",
  }),
  GW4038: entry<{ path: string; api: string; other: string }>({
    slug: "listen-path-clash",
    severity: "error",
    message: (d) => `The APIs \`${d.other}\` and \`${d.api}\` both listen at \`${d.path}\`.`,
    hint: () =>
      "Give one of them another `x-gw-api-gateway.server.listenPath.value`, or put their streams into one document.",
  }),
  GW4039: entry<{ first: string; second: string; id: string }>({
    slug: "stream-name-clash",
    severity: "error",
    message: (d) => `The streams \`${d.first}\` and \`${d.second}\` would share the id \`${d.id}\`.`,
    hint: () => "Rename one so that they differ in letters or digits.",
  }),
  GW4040: entry<Record<never, never>>({
    slug: "dead-letter-without-output",
    severity: "error",
    message: () => "`dead_letter` needs an `output` to hand messages to.",
    hint: () => "Add `output` beside `strategy`.",
  }),
  GW4041: entry<{ field: string }>({
    slug: "protection-not-enforced",
    severity: "error",
    message: (d) => `\`${d.field}\` is not enforced; the gateway would serve without it.`,
    hint: () => "Leave it out to serve without it.",
  }),
  GW4042: entry<{ ping: string; pong: string }>({
    slug: "ping-after-pong",
    severity: "error",
    message: (d) => `Pings every ${d.ping} come too late for sockets dropped after ${d.pong}.`,
    hint: () => "Make `ping_period` shorter than `pong_wait`.",
  }),
  GW4043: entry<Record<never, never>>({
    slug: "session-without-client-id",
    severity: "error",
    message: () => "A session the broker keeps needs a `client_id` to find it again.",
    hint: () => "Add `client_id`, or remove `clean_session: false`.",
  }),
  GW4044: entry<{ field: string; value: string }>({
    slug: "duration-out-of-range",
    severity: "error",
    message: (d) => `\`${d.field}\` cannot be \`${d.value}\`: durations go from \`0s\` to \`596h\`.`,
    hint: () => "Write a time that can be waited for.",
  }),
  GW4045: entry<{ path: string; reason: string }>({
    slug: "path-never-matches",
    severity: "error",
    message: (d) => `No request reaches \`${d.path}\`: ${d.reason}.`,
    hint: () => "Write whole segments between slashes, decoded, with parameters as `/{name}`.",
  }),
};
