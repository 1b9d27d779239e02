// Generates docs/compatibility.md: the supported components of the reference engine, and alternatives for the others.
// Run by `scripts/generate-reference.ts`; a test fails if the checked-in file differs from its output.

import { coreCatalogue } from "../schemas/catalogue.ts";
import type { ComponentRole } from "../schemas/component.ts";
import { referenceNames } from "../schemas/reference-names.ts";
import type { Schema } from "../schemas/schema.ts";
import { refusalOf } from "../schemas/unsupported.ts";

/** The page, relative to the root of the repository. */
export const compatibilityPath = "docs/compatibility.md";

const titles: Readonly<Record<ComponentRole, string>> = {
  input: "Inputs",
  output: "Outputs",
  processor: "Processors",
  cache: "Caches",
  rate_limit: "Rate limits",
  buffer: "Buffers",
  scanner: "Scanners",
};

/** Names that the parser resolves to other components, so that they have no descriptor. */
const resolvedByReader: ReadonlySet<string> = new Set(["resource"]);

/** Returns the text of the page. */
export function generateCompatibility(): string {
  const kinds = Object.keys(titles) as readonly ComponentRole[];
  const figures = kinds.map((kind) => {
    const names = referenceNames[kind];
    return `| ${titles[kind]} | ${names.filter((name) => isThere(kind, name)).length} | ${names.length} |`;
  });
  return [
    "<!-- Generated from schemas/ by scripts/generate-compatibility.ts. Do not edit. -->",
    "# Compatibility",
    intro,
    ["| kind | there | in the reference engine |", "|---|---|---|", ...figures].join("\n"),
    ...kinds.flatMap(sectionOf),
    "",
  ].join("\n\n");
}

const intro = `Documents of the reference engine (Bento) are read as they are. This page lists each of its components: those that are
there, with the fields that differ, and those that are not, with the reason and the nearest way to the same end. The checker says
the same at the place in a document (GW4002 for components, GW4016 and GW4017 for fields and values). [The reference](reference.md)
has every field, and the READMEs of \`runtime/connectors/\` say how each protocol is treated.

Three differences concern many components. A message that a processor failed on is not delivered, unless
[\`error_handling\`](documents.md#when-a-message-fails) says so. Inputs whose source delivers nothing twice, such as files, rows and sockets,
read the next message once the one before it is delivered, or collected into a batch. Addresses of servers need a host, also those of
Redis: \`redis://:6379\` is refused (GW4080).`;

function sectionOf(kind: ComponentRole): readonly string[] {
  const names = referenceNames[kind];
  const there = names.filter((name) => isThere(kind, name));
  const missing = names.filter((name) => !isThere(kind, name));
  const rows = missing.map((name) => {
    const { why, instead } = refusalOf(name);
    return `| \`${name}\` | ${why} | ${instead} |`;
  });
  const refused = ["| not there | because | instead |", "|---|---|---|", ...rows].join("\n");
  return [
    `## ${titles[kind]}`,
    there.length === 0
      ? "None."
      : ["| there | differs in |", "|---|---|", ...there.map((name) => rowOf(kind, name))].join("\n"),
    ...(missing.length === 0 ? [] : [refused]),
  ];
}

/** Returns the schema of a component, if it is supported. */
function schemaOf(kind: ComponentRole, name: string): Schema | undefined {
  return coreCatalogue.find(kind, name)?.schema;
}

function isThere(kind: ComponentRole, name: string): boolean {
  return schemaOf(kind, name) !== undefined || resolvedByReader.has(name);
}

function rowOf(kind: ComponentRole, name: string): string {
  const schema = schemaOf(kind, name) ?? {};
  const differences = [
    ...(schema["x-unsupported"] ?? []).map((field) => `\`${field}\` is not supported`),
    ...Object.entries(schema["x-refused"] ?? {}).map(([field, why]) => `\`${field}\` is refused, as ${why}`),
    ...Object.entries(schema["x-without-effect"] ?? {}).map(
      ([field, why]) => `\`${field}\` has no effect, as ${why}`,
    ),
    ...Object.entries(schema.properties ?? {}).flatMap(([field, each]) => valuesNotThere(field, each)),
    ...(schema["x-differences"] ?? []),
  ];
  return `| \`${name}\` | ${differences.length === 0 ? "–" : differences.join("; ")} |`;
}

/** Returns the unsupported values of a field or its items; for a field with unlimited values, the supported ones. */
function valuesNotThere(
  field: string,
  { enum: values = [], "x-supported": supported, type, items }: Schema,
): readonly string[] {
  if (supported === undefined) return items === undefined ? [] : valuesNotThere(`${field}[]`, items);
  const known = type === "boolean" ? [true, false] : values;
  if (known.length === 0) return [`\`${field}\` can only be ${quoted(supported)}`];
  const missing = known.filter((value) => !supported.includes(value));
  return missing.length === 0 ? [] : [`\`${field}\` cannot be ${quoted(missing)}`];
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => `\`${value}\``).join(", ");
}
