// Variables that each request fills: `$gw_context.…` and `$gw_meta.…`.

import { entry } from "../diagnostic.ts";
import { removeEntry } from "../fixes/entries.ts";
import { replaceText } from "../fixes/respell.ts";
import { quoteAll } from "../suggest.ts";

/** A name that no request of a stream has a value for. */
export interface UnknownRequestVariable {
  /** The path of the document that has the parameter, where that of the endpoint spells it otherwise. */
  readonly declared?: string | undefined;
  readonly name: string;
  readonly closest: string | undefined;
  /** What names start with, such as `headers_`. */
  readonly families: readonly string[];
  /** The variables of the path parameters of the stream, where one of those is missing. */
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
    message: (d) => `\`${d.source}\` stands for no value without a name behind it.`,
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
  GW4384: entry<{ part: string }>({
    slug: "upstream-that-no-path-follows",
    severity: "error",
    message: (d) => `\`upstream.url\` cannot have a ${d.part}, because the request path is appended to it.`,
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
      `\`allow_wildcards\` has no effect: the patterns of this ${d.what} hold no value of a request or a message.`,
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
