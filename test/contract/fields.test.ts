// Every field of the reference engine's tables, with its default and with other values: each compiles, or gives the
// diagnostic that names it. `outcomes.txt` shows which, and where our default is another one.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments } from "../../compiler/compile.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { coreCatalogue } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";

/** A component of the tables. */
interface Table {
  readonly role: ComponentRole;
  readonly name: string;
  /** Options that compile by themselves. */
  readonly least: unknown;
  readonly fields: readonly Row[];
}

/** `field` is empty for the whole value, and has dots and `[]` for what lies inside of others. */
interface Row {
  readonly field: string;
  readonly default?: unknown;
  readonly values: readonly unknown[];
}

const tables: readonly Table[] = ["connectors.json", "processors.json"].flatMap((name) =>
  JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8")),
);

const natsOf = (subject: string) => ({ nats: { urls: ["nats://localhost:4222"], subject } });
// Neither is what the tables read and write, which would be a loop.
const source = natsOf("given");
const target = natsOf("taken");

/** Documents of bare streams by file name, and the set that names them. */
function documentsOf(role: ComponentRole, name: string, value: unknown): Readonly<Record<string, object>> {
  const component = { [name]: value };
  const stream = {
    input: role === "input" ? component : source,
    pipeline: { processors: role === "processor" ? [component] : [] },
    output: role === "output" ? component : target,
    cache_resources: [{ label: "kept", memory: {} }],
    rate_limit_resources: [{ label: "limited", local: {} }],
    processor_resources: [
      { label: "steps", mapping: "root = this" },
      {
        label: "enrich",
        branch: { processors: [{ mapping: "root = this" }], result_map: "root.enriched = this" },
      },
    ],
  };
  const partner = name === "inproc" && typeof value === "string" ? partnerOf(role, value) : undefined;
  const streams = { "stream.json": stream, ...(partner && { "partner.json": partner }) };
  return { ...streams, "gateway.yaml": { streaming: { enabled: true }, apis: Object.keys(streams) } };
}

/** The other end of a channel, below a listen path of its own. */
function partnerOf(role: ComponentRole, inproc: string): object {
  const partner =
    role === "input" ? { input: source, output: { inproc } } : { input: { inproc }, output: target };
  return {
    openapi: "3.1.0",
    info: { title: "Partner", version: "1" },
    paths: {},
    servers: [{ url: "/partner" }],
    "x-gw-streaming": { streams: { partner } },
  };
}

/** The options with a value at the place of a field; what has to be switched on is. */
function optionsWith({ least, fields }: Table, field: string, value: unknown): unknown {
  if (field === "") return value;
  const [, block, isList, inner] = /^(\w+)(\[\])?\.(\w+)$/.exec(field) ?? [];
  if (block === undefined || inner === undefined) return { ...Object(least), [field]: value };
  const isSwitched = inner !== "enabled" && fields.some((row) => row.field === `${block}.enabled`);
  const held = { ...(isSwitched && { enabled: true }), [inner]: value };
  return { ...Object(least), [block]: isList === undefined ? held : [held] };
}

/** Codes of errors and warnings, but for resources that only some of the documents use. */
async function outcomeOf(documents: Readonly<Record<string, object>>): Promise<string> {
  const texts = Object.entries(documents).map(([file, document]) => [file, JSON.stringify(document)]);
  const fileSystem = createMemoryFileSystem(Object.fromEntries(texts));
  const { diagnostics } = await checkDocuments(["gateway.yaml"], { fileSystem });
  const said = diagnostics.filter(({ severity, code }) => severity !== "info" && code !== "GW4146");
  const codes = said.map(({ severity, code }) => (severity === "error" ? code : `${code} (${severity})`));
  return codes.length === 0 ? "ok" : [...new Set(codes)].join(", ");
}

/** What we have in place of the table's default; empty where it is the same, or nothing is said of either. */
function otherDefault(table: Table, row: Row): string {
  if (!("default" in row)) return "";
  const schema = schemaAt(coreCatalogue.find(table.role, table.name)?.schema, row.field.split("."));
  if (schema === undefined) return "";
  const own = schema["x-unit"] === "duration" && schema.default === "0s" ? "" : schema.default;
  const isSame =
    JSON.stringify(own) === JSON.stringify(row.default) || (own === undefined && isNothing(row.default));
  if (!isSame && own !== undefined) namesDifference(table, row);
  return isSame ? "" : `; ${own === undefined ? "no default" : `default ${JSON.stringify(own)}`} here`;
}

/** The compatibility guide has to say of a default that it is another one. */
function namesDifference({ role, name }: Table, { field }: Row): void {
  const said = coreCatalogue.find(role, name)?.schema["x-differences"]?.join() ?? "";
  assert.match(said, `\`${field}\``, `${role} ${name}: \`x-differences\` names another default`);
}

function schemaAt(schema: Schema | undefined, path: readonly string[]): Schema | undefined {
  const [key, ...rest] = path;
  if (schema === undefined || key === undefined) return schema;
  if (key === "") return schema;
  const isList = key.endsWith("[]");
  const own = schema.properties?.[isList ? key.slice(0, -2) : key];
  return schemaAt(isList ? own?.items : own, rest);
}

/** What a field that nobody wrote has to say. */
function isNothing(value: unknown): boolean {
  return (
    value === "" ||
    value === false ||
    value === 0 ||
    value === "0s" ||
    JSON.stringify(value) === "[]" ||
    JSON.stringify(value) === "{}"
  );
}

test("each field of the tables compiles, or is rejected with the expected diagnostic", async () => {
  const lines: string[] = [];
  for (const table of tables) {
    const { role, name, least, fields } = table;
    lines.push(`${name} ${role}  ${await outcomeOf(documentsOf(role, name, least))}`);
    for (const row of fields) {
      const values = "default" in row ? [row.default, ...row.values] : row.values;
      for (const [index, value] of values.entries()) {
        const outcome = await outcomeOf(documentsOf(role, name, optionsWith(table, row.field, value)));
        const other = index === 0 ? otherDefault(table, row) : "";
        lines.push(
          `  ${row.field === "" ? "" : `${row.field}: `}${JSON.stringify(value)}  ${outcome}${other}`,
        );
      }
    }
  }
  const path = join(import.meta.dirname, "outcomes.txt");
  const text = `${lines.join("\n")}\n`;
  if (process.env.UPDATE === "1") writeFileSync(path, text);
  assert.fixture(text, readFileSync(path, "utf8"));
});

test.run();
