// Variables that each request fills: `$gw_context.…` and `$gw_meta.…`.

import { entry } from "../diagnostic.ts";
import { replaceText } from "../fixes/respell.ts";
import { quoteAll } from "../quote-all.ts";

export const requestVariableEntries = {
  GW4160: entry<{ written: string }>({
    slug: "secret-store",
    severity: "error",
    message: (d) => `\`${d.written}\` names a secret store, and the gateway reads none.`,
    hint: () => "Mount the secret and write `${file:PATH}`, or write an environment variable as `${NAME}`.",
  }),
  GW4161: entry<{ name: string; closest: string | undefined; families: readonly string[] }>({
    slug: "unknown-request-variable",
    severity: "error",
    message: (d) => `Requests have no variable \`${d.name}\`.`,
    hint: (d) =>
      d.closest === undefined
        ? `Use a name that begins with one of ${quoteAll(d.families)}, or \`path\`.`
        : `Did you mean \`${d.closest}\`?`,
    fix: ({ closest, name }, span) => {
      if (closest === undefined) return undefined;
      return replaceText({ ...span, start: span.end - name.length }, closest, false);
    },
  }),
  GW4272: entry<{ source: string }>({
    slug: "unknown-variable-source",
    severity: "error",
    message: (d) => `\`${d.source}\` is nothing that variables are read from.`,
    hint: () => "Write `$gw_context.` for values of the request, `$gw_meta.` for those of the caller's key.",
  }),
  GW4162: entry<{ name: string }>({
    slug: "request-variable-without-bound",
    severity: "warning",
    message: (d) =>
      `Nearly every request has another \`${d.name}\`, and each value starts an instance of the stream.`,
    hint: () => "Use something that many requests share, such as a tenant or a user.",
  }),
  GW4163: entry<{ name: string }>({
    slug: "request-variable-without-request",
    severity: "error",
    message: (d) => `\`${d.name}\` is filled by requests, and no request reaches this stream.`,
    hint: () => "Write the value itself or an environment variable, or give the stream an endpoint.",
  }),
  GW4164: entry<{ name: string; field: string }>({
    slug: "request-variable-out-of-place",
    severity: "error",
    message: (d) => `\`${d.field}\` is the same for every request and cannot read \`${d.name}\`.`,
    hint: () => "Write the value itself, or an environment variable as `${NAME}`.",
  }),
  GW4380: entry<{ name: string; place: "name" | "key" }>({
    slug: "variable-in-a-name",
    severity: "error",
    message: (d) => `\`${d.name}\` stands in a ${d.place}, where it has no value.`,
    hint: () => "Write the name itself, and the variable as a value.",
  }),
  GW4381: entry<{ name: string }>({
    slug: "variable-outside-of-streams",
    severity: "error",
    message: (d) => `\`${d.name}\` has no value here: this script belongs to no stream.`,
    hint: () => 'Write the value itself; scripts read the environment with `env("NAME")`.',
  }),
  GW4382: entry<{ name: string; field: string }>({
    slug: "request-variable-in-a-pattern",
    severity: "error",
    message: (d) =>
      `\`${d.field}\` is a regular expression, and \`${d.name}\` would be read as a part of it.`,
    hint: () => "Write the pattern itself, and compare with the variable in a mapping.",
  }),
  GW4383: entry<{ name: string; field: string }>({
    slug: "variable-that-stays-text",
    severity: "error",
    message: (d) => `\`${d.field}\` reads no variables: \`${d.name}\` would stay as it is written.`,
    hint: () => "Write the value itself.",
  }),
  GW4384: entry<{ part: string }>({
    slug: "upstream-that-no-path-follows",
    severity: "error",
    message: (d) => `\`upstream.url\` has a ${d.part}, and paths of requests are put behind it.`,
    hint: () => "Leave out all that comes after the path, and the user before the host.",
  }),
  GW4385: entry<{ scheme: string; reason: string }>({
    slug: "key-that-verifies-nothing",
    severity: "error",
    message: (d) => `The \`source\` of \`${d.scheme}\` is no key of its \`signingMethod\`: ${d.reason}.`,
    hint: () => "Read the key when the gateway starts: `${file:PATH}` for a mounted one.",
  }),
  GW4386: entry<Record<never, never>>({
    slug: "certificate-that-is-none",
    severity: "error",
    message: () => "This text begins as a certificate in PEM and is none.",
    hint: () => "Write all of the certificate, or its fingerprint (SHA-256).",
  }),
  GW4165: entry<{ name: string }>({
    slug: "request-variables-switched-off",
    severity: "error",
    message: (d) =>
      `\`${d.name}\` is read here, and \`middleware.global.contextVariables.enabled\` is \`false\`.`,
    hint: () => "Set it to `true`, or leave it out.",
  }),
  GW4300: entry<{ variables: readonly string[]; name: string }>({
    slug: "wildcards-from-clients",
    severity: "warning",
    message: (d) =>
      `Clients choose by wildcards in ${quoteAll(d.variables)} whose messages this \`${d.name}\` input reads.`,
    hint: () =>
      "Remove `allow_wildcards`, or make sure that every caller may read everything below this pattern.",
  }),
  GW4301: entry<{ name: string }>({
    slug: "wildcards-without-variables",
    severity: "warning",
    message: (d) =>
      `\`allow_wildcards\` has no effect, as no value of a request is part of what this \`${d.name}\` input reads.`,
    hint: () => "Remove `allow_wildcards`.",
  }),
  GW4166: entry<{ name: string }>({
    slug: "request-variable-of-a-caller",
    severity: "error",
    message: (d) => `\`${d.name}\` comes from the caller's credential, and this API asks for none.`,
    hint: () =>
      "Enable `server.authentication` for a scheme of `security`, or read something of the request.",
  }),
};
