// Documents in which every text of a component is a variable of its own, and what becomes of each.

import { unsafeWithin } from "../../compiler/check/document/allow-unsafe.ts";
import { planDocuments } from "../../compiler/compile.ts";
import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { coreCatalogue } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import { emitTexts } from "./emitted.ts";
import { allowing, fieldValue } from "./every-field.ts";

/** How a variable is spelt, with what the emitted gateway reads for it. */
export interface Spelling {
  readonly write: (name: string) => string;
  readonly read: (name: string) => string;
}

/** Every spelling that documents may use. */
export const spellings: Readonly<Record<string, Spelling>> = {
  gw_context: {
    write: (name) => `$gw_context.headers_${name}`,
    read: (name) => `"context.headers_${name}"`,
  },
  tyk_context: {
    write: (name) => `$tyk_context.request_data_${name}`,
    read: (name) => `"context.request_data_${name}"`,
  },
  gw_meta: { write: (name) => `$gw_meta.${name}`, read: (name) => `"meta.${name}"` },
  tyk_meta: { write: (name) => `$tyk_meta.${name}`, read: (name) => `"meta.${name}"` },
  secret_env: { write: (name) => `$secret_env.${name}`, read: (name) => `"${name}"` },
};

/** Where in a text the variable stands: it is all of it, or a part. */
export const positions: Readonly<Record<string, (variable: string) => string>> = {
  whole: (variable) => variable,
  part: (variable) => `a-${variable}~b`,
};

/** What became of the variable of each field, by the path of the field. */
export interface Outcomes {
  /** The value arrives: the emitted text reads it. */
  readonly read: readonly string[];
  /** By the codes of their diagnostics. */
  readonly refused: Readonly<Record<string, string>>;
  /** Neither, which must not be. */
  readonly lost: readonly string[];
  readonly gateway: string;
  readonly types: string;
}

type Path = readonly (string | number)[];

/** Writes a variable into every leaf of the component in turn, all at once where they get along. */
export async function tryVariables(
  role: ComponentRole,
  name: string,
  spelling: Spelling,
  position: (variable: string) => string,
): Promise<Outcomes> {
  const schema = coreCatalogue.find(role, name)?.schema;
  if (schema === undefined) throw new Error(`${role} ${name} has a schema`);
  const literal = fieldValue(schema, "literal");
  const leaves = leavesOf(literal);
  const refused: Record<string, string> = {};
  let open = leaves.map((path, at) => ({ path, variable: `V${at}X` }));
  for (;;) {
    const value = open.reduce(
      (held, { path, variable }) =>
        withLeaf(held, path, (text) => placed(text, spelling, position, variable)),
      literal,
    );
    const { written, diagnostics, text } = await emitted(role, name, value);
    if (written !== undefined) {
      const { gateway, types } = written;
      const lost = open.filter(({ variable }) => !gateway.includes(spelling.read(variable)));
      const literals = [...gateway.matchAll(/\$(?:gw|tyk|secret)_[A-Za-z_.]*/g)].map(([written]) => written);
      return {
        read: open.filter((each) => !lost.includes(each)).map(({ path }) => path.join(".")),
        refused,
        lost: [...lost.map(({ path }) => path.join(".")), ...literals],
        gateway,
        types,
      };
    }
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const before = open.length;
    open = open.filter(({ path, variable }) => {
      const error = errors.find((each) => isAbout(each, variable, text));
      if (error !== undefined) refused[path.join(".")] = error.code;
      return error === undefined;
    });
    if (open.length === before) {
      throw new Error(
        `${role} ${name}: ${errors.map(({ code, message }) => `${code} ${message}`).join("\n")}`,
      );
    }
  }
}

/** Whether an error points at a text with the variable, or into it. */
function isAbout({ span }: Diagnostic, variable: string, text: string): boolean {
  const from = span.source.offsetInFile(span.start);
  const to = span.source.endInFile(Math.max(span.start, span.end - 1));
  const lineStart = text.lastIndexOf("\n", from) + 1;
  const lineEnd = text.indexOf("\n", from);
  return text.slice(lineStart, lineEnd).includes(variable) || text.slice(from, to).includes(variable);
}

function placed(
  literal: unknown,
  { write }: Spelling,
  position: (variable: string) => string,
  name: string,
): string {
  const text = position(write(name));
  if (literal === "root.id = this.id") return `root.id = "${text}" + ${write(name)}`;
  if (literal === "this.id == 1") return `this.id == "${text}"`;
  if (typeof literal === "string" && literal.includes("${!")) return `${text}\${! "${text}" }`;
  return text;
}

function leavesOf(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => leavesOf(item, [...path, at]));
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

function withLeaf(value: unknown, [key, ...rest]: Path, change: (leaf: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item, at) => (at === key ? withLeaf(item, rest, change) : item));
  const record: Record<string, unknown> = { ...Object(value) };
  record[key] = withLeaf(record[key], rest, change);
  return record;
}

async function emitted(role: ComponentRole, name: string, value: unknown) {
  const { schema = {} } = coreCatalogue.find(role, name) ?? {};
  const allowed = allowing(unsafeWithin(name, schema));
  const set = { apis: ["api.json"], streaming: { enabled: true }, ...allowed };
  const text = JSON.stringify(documentWith(role, { [name]: value }), undefined, 1);
  const fileSystem = createMemoryFileSystem({ "api.json": text, "gateway.yaml": JSON.stringify(set) });
  const { plan, diagnostics } = await planDocuments(["gateway.yaml"], { fileSystem });
  const written = plan === undefined ? undefined : await emitTexts(plan);
  return { written, diagnostics, text };
}

/** A document with a request for every stream, and callers that are known. */
function documentWith(role: ComponentRole, component: object): object {
  const stream = {
    input: role === "input" ? component : { http_server: { path: "/variables-in" } },
    pipeline: { processors: role === "processor" ? [component] : uses[role] },
    output: role === "output" ? component : { http_server: { path: "/variables-out" } },
    cache_resources: [
      { label: "cache", ...(role === "cache" ? component : { memory: {} }) },
      // For caches made of caches.
      ...["near", "far"].map((label) => ({ label, memory: {} })),
    ],
    rate_limit_resources: [{ label: "rate_limit", ...(role === "rate_limit" ? component : { local: {} }) }],
  };
  return {
    openapi: "3.1.1",
    info: { title: "Variables", version: "1" },
    paths: {},
    components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "key" } } },
    security: [{ key: [] }],
    "x-gw-api-gateway": {
      info: { name: "variables", state: { active: true } },
      server: {
        listenPath: { value: "/" },
        authentication: { enabled: true, securitySchemes: { key: { enabled: true } } },
      },
    },
    "x-gw-streaming": { streams: { variables: stream } },
  };
}

/** Steps that use a resource, so that it is emitted. */
const uses: Readonly<Record<ComponentRole, readonly object[]>> = {
  input: [],
  processor: [],
  output: [],
  scanner: [],
  buffer: [],
  cache: [{ cache: { resource: "cache", operator: "get", key: "a" } }],
  rate_limit: [{ rate_limit: { resource: "rate_limit" } }],
};
