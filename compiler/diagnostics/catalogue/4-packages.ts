// Document meaning: packages of components that a set names.

import { entry } from "../diagnostic.ts";

/** A part of a package, and the reason why it violates the contract. */
export interface PackageFault {
  readonly package: string;
  readonly reason: string;
}

export const packageEntries = {
  GW4400: entry<{ name: string; isFolder: boolean }>({
    slug: "component-package-missing",
    severity: "error",
    message: (d) =>
      d.isFolder ? `\`${d.name}\` has no \`package.json\`.` : `The package \`${d.name}\` is not installed.`,
    hint: (d) =>
      d.isFolder
        ? `Correct the path, or make the folder: \`sluice component init ${d.name}\`.`
        : `Install it beside this file: \`npm install ${d.name}\`.`,
  }),
  GW4401: entry<{ package: string }>({
    slug: "component-package-without-entry",
    severity: "error",
    message: (d) => `The package \`${d.package}\` exports no components.`,
    hint: () =>
      'Export the module that describes them in its `package.json`: `"exports": { "./sluice": "./sluice.ts" }`.',
  }),
  GW4402: entry<PackageFault & { module: string }>({
    slug: "component-package-failed",
    severity: "error",
    message: (d) => `\`${d.module}\` of the package \`${d.package}\` cannot be loaded: ${d.reason}`,
    hint: () => "Correct the module, or ask the author of the package.",
  }),
  GW4403: entry<{ package: string; place: string; expected: string; found: string }>({
    slug: "component-package-malformed",
    severity: "error",
    message: (d) =>
      `In the package \`${d.package}\`, ${quoted(d.place)} expects ${d.expected}, got ${d.found}.`,
    hint: () => "Describe components with the functions of `sluice/component`, which have types.",
  }),
  GW4404: entry<PackageFault & { component: string }>({
    slug: "component-schema-invalid",
    severity: "error",
    message: (d) => `In the package \`${d.package}\`, the ${d.component} has no valid schema: ${d.reason}`,
    hint: () => "Write JSON Schema 2020-12 with the annotations that `docs/components.md` lists.",
  }),
  GW4405: entry<{ package: string; kind: string; name: string; owner: string | undefined }>({
    slug: "component-name-taken",
    severity: "error",
    message: (d) =>
      d.owner === undefined
        ? `The package \`${d.package}\` declares the ${d.kind} \`${d.name}\`, which Sluice has.`
        : d.owner === d.package
          ? `The package \`${d.package}\` declares the ${d.kind} \`${d.name}\` twice.`
          : `The packages \`${d.package}\` and \`${d.owner}\` both declare the ${d.kind} \`${d.name}\`.`,
    hint: (d) => `Rename the ${d.kind}, for instance to \`${prefixed(d)}\`.`,
  }),
  GW4406: entry<{ package: string; owner: string; module: string }>({
    slug: "component-module-missing",
    severity: "error",
    message: (d) =>
      `In the package \`${d.package}\`, the module of the ${d.owner} is missing: \`${d.module}\`.`,
    hint: () => "Correct `runtime.module`, a path below the folder of the package.",
  }),
  GW4407: entry<{
    package: string;
    owner: string;
    module: string;
    symbol: string;
    closest: string | undefined;
  }>({
    slug: "component-export-missing",
    severity: "error",
    message: (d) =>
      `In the package \`${d.package}\`, \`${d.module}\` does not export \`${d.symbol}\` of the ${d.owner}.`,
    hint: (d) =>
      d.closest === undefined
        ? "Export the function, or correct `runtime.symbol`."
        : `Did you mean \`${d.closest}\`?`,
  }),
  GW4408: entry<PackageFault & { builtin: string }>({
    slug: "component-signature-invalid",
    severity: "error",
    message: (d) => `In the package \`${d.package}\`, the ${d.builtin} has no valid signature: ${d.reason}.`,
    hint: () => "Describe it with `defineMethod` or `defineFunction` of `sluice/component`.",
  }),
  GW4409: entry<{ package: string; version: string; supported: number }>({
    slug: "component-contract-version",
    severity: "error",
    message: (d) =>
      `The package \`${d.package}\` uses version ${d.version} of the contract; this Sluice supports ${d.supported}.`,
    hint: () => "Install versions of the package and of Sluice that belong together.",
  }),
  GW4410: entry<PackageFault & { module: string }>({
    slug: "component-module-broken",
    severity: "error",
    message: (d) => `\`${d.module}\` of the package \`${d.package}\` cannot be bundled: ${d.reason}`,
    hint: () => "Correct the module, or install what it imports.",
  }),
  GW4411: entry<PackageFault & { owner: string; what: string }>({
    slug: "component-function-failed",
    severity: "error",
    message: (d) => `In the package \`${d.package}\`, \`${d.what}\` of the ${d.owner} failed: ${d.reason}`,
    hint: () => "Return a result for all options that the schema allows.",
  }),
  GW4412: entry<{ component: string; message: string; hint: string | undefined }>({
    slug: "component-rule",
    severity: "error",
    message: (d) => `\`${d.component}\`: ${d.message}`,
    hint: (d) => d.hint,
  }),
  GW4413: entry<{ component: string; message: string; hint: string | undefined }>({
    slug: "component-advice",
    severity: "warning",
    message: (d) => `\`${d.component}\`: ${d.message}`,
    hint: (d) => d.hint,
  }),
  GW4414: entry<{ package: string }>({
    slug: "component-package-twice",
    severity: "error",
    message: (d) => `The package \`${d.package}\` is named twice.`,
    hint: () => "Name it once.",
  }),
  GW4415: entry<PackageFault>({
    slug: "component-manifest-invalid",
    severity: "error",
    message: (d) => `The \`package.json\` of \`${d.package}\` cannot be used: ${d.reason}.`,
    hint: () => "Give the package a `name` and an `exports` entry `./sluice`.",
  }),
  GW4416: entry<{ package: string; module: string; symbol: string }>({
    slug: "component-import-unknown",
    severity: "error",
    message: (d) =>
      `\`${d.module}\` of the package \`${d.package}\` imports \`${d.symbol}\`, which gateways do not have.`,
    hint: () => "Import the functions that describe components only in the entry module.",
  }),
} as const;

/** Returns `components[0].name` in backquotes. Texts of several words stay unchanged. */
function quoted(place: string): string {
  return place.includes(" ") ? place : `\`${place}\``;
}

/** Returns `acme_kafka` for `kafka` of `@acme/lines`. */
function prefixed({ package: owner, name }: { readonly package: string; readonly name: string }): string {
  const [prefix = "own"] = owner
    .replace(/^@/, "")
    .split(/[^a-z0-9]+/)
    .filter((part) => /^[a-z]/.test(part));
  return `${prefix}_${name}`;
}
