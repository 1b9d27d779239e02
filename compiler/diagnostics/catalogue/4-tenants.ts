// Document meaning: what documents of an organisation may read of the machine.

import { entry } from "../diagnostic.ts";

export const tenantEntries = {
  GW4330: entry<{ name: string }>({
    slug: "gateway-variable-read",
    severity: "error",
    message: (d) => `Documents cannot read \`${d.name}\`: variables named \`GW_*\` configure the gateway.`,
    hint: () => "Use a variable with another name.",
  }),
  GW4331: entry<{ name: string; organisation: string }>({
    slug: "variable-not-allowed",
    severity: "error",
    message: (d) => `Organisation \`${d.organisation}\` may not read the environment variable \`${d.name}\`.`,
    hint: (d) =>
      `Ask an administrator to add \`${d.name}\` to \`organisations.${d.organisation}.variables\` in \`management.yaml\`.`,
  }),
  GW4332: entry<{ path: string; organisation: string }>({
    slug: "file-not-allowed",
    severity: "error",
    message: (d) => `Organisation \`${d.organisation}\` may not use the file \`${d.path}\`.`,
    hint: (d) =>
      `Use an absolute path that \`organisations.${d.organisation}.files\` in \`management.yaml\` allows.`,
  }),
  GW4333: entry<{ name: string; organisation: string }>({
    slug: "computed-name-read",
    severity: "error",
    message: (d) => `The argument of \`${d.name}()\` must be a literal, so that it can be checked.`,
    hint: (d) => `Write a string literal that the settings of organisation \`${d.organisation}\` allow.`,
  }),
  GW4334: entry<{ field: string; organisation: string; prefixes: readonly string[] }>({
    slug: "shared-name-of-others",
    severity: "error",
    message: (d) =>
      `\`${d.field}\` must start with a prefix that organisation \`${d.organisation}\` may use on brokers.`,
    hint: (d) =>
      d.prefixes.length === 0
        ? `Ask an administrator to add a prefix to \`organisations.${d.organisation}.consumer_groups\` in \`management.yaml\`.`
        : `Start it with ${d.prefixes.map((each) => `\`${each}\``).join(" or ")}.`,
  }),
  GW4335: entry<{ host: string; organisation: string }>({
    slug: "host-assigned-twice",
    severity: "error",
    message: (d) => `The host name \`${d.host}\` is assigned to \`${d.organisation}\` already.`,
    hint: () => "Assign each host name to one organisation.",
  }),
  GW4336: entry<{ field: string; organisation: string }>({
    slug: "shared-name-missing",
    severity: "error",
    message: (d) => `Missing field \`${d.field}\`: its keys could be those of other organisations.`,
    hint: (d) =>
      `Add \`${d.field}\`. If \`organisations.${d.organisation}.consumer_groups\` of \`management.yaml\` lists prefixes, begin it with one of them.`,
  }),
  GW4337: entry<{ field: string; organisation: string }>({
    slug: "shared-name-taken",
    severity: "error",
    message: (d) =>
      `\`${d.field}\` begins, or could begin, with a prefix that is not for organisation \`${d.organisation}\`.`,
    hint: () => "Begin the text otherwise, and write its beginning out.",
  }),
};
