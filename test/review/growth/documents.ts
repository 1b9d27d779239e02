// What the compiler does with documents and mappings as work: the management service accepts them from its users.

import { checkDocuments } from "../../../compiler/compile.ts";
import { CompileError } from "../../../compiler/embed/errors.ts";
import { compileMapping } from "../../../compiler/embed/mapping.ts";
import { createMemoryFileSystem } from "../../../compiler/parse/document/file-system.ts";
import type { Input } from "./inputs.ts";
import type { Work } from "./measure.ts";

/** Ways to process a text from a user of the service. */
const uses: Readonly<Record<string, (text: string) => unknown>> = {
  "a mapping": (text) => compiled(text),
  "a text of a mapping": (text) => compiled(`root = ${JSON.stringify(text)}`),
  "an expression": (text) => compiled(`root = ${text}`),
  "a JSON document": (text) => check("api.json", text),
  "a YAML document": (text) => check("api.yaml", text),
  "a description and its aliases": (text) => check("api.yaml", aliased(text)),
  "a description": (text) => check("api.json", JSON.stringify(documentWith({ description: text }, {}))),
  "an interpolation": (text) =>
    check("api.json", JSON.stringify(documentWith({}, { output: { http_client: { url: text } } }))),
  "names at a broker": (text) => check("api.json", JSON.stringify(documentOfNames(`${text}y`, `${text}z`))),
};

function compiled(source: string): unknown {
  try {
    return compileMapping(source);
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}

function check(name: string, text: string): Promise<unknown> {
  return checkDocuments([name], { fileSystem: createMemoryFileSystem({ [name]: text }) });
}

function documentWith(information: object, stream: object, others: object = {}) {
  const parts = { input: { http_server: { path: "/a" } }, output: { drop: {} }, ...stream };
  return {
    openapi: "3.1.1",
    info: { title: "A", version: "1", ...information },
    paths: {},
    "x-gw-streaming": { streams: { a: parts, ...others } },
  };
}

/** A document whose tags have one description. */
function aliased(text: string): string {
  const { "x-gw-streaming": streaming } = documentWith({}, {});
  const tags = Array.from({ length: 100 }, (_, index) => `- { name: t${index}, description: *a }`);
  return [
    `x-a: &a ${JSON.stringify(text)}`,
    "openapi: 3.1.1",
    'info: { title: A, version: "1", description: *a }',
    "paths: {}",
    "tags:",
    ...tags,
    `x-gw-streaming: ${JSON.stringify(streaming)}`,
  ].join("\n");
}

/** A document with a stream that writes to one name and a stream that reads from a similar one. */
function documentOfNames(written: string, read: string): object {
  const at = (subject: string) => ({ nats: { urls: ["nats://localhost:4222"], subject } });
  return documentWith({}, { output: at(written) }, { reader: { input: at(read), output: { drop: {} } } });
}

/** Returns documents of many equal parts, each by the number of parts, that used to take quadratic time. */
const documents: Readonly<Record<string, (count: number) => string>> = {
  "scopes without declaration": (count) =>
    textWith({
      components: { securitySchemes: { o: oauth(names("declared", count)) } },
      security: [{ o: names("unknown", count) }],
    }),
  "successive comments": (count) => `${"# sluice-ignore GW4018: known\n".repeat(count)}${textWith({})}`,
  // The names are not alike: similar ones are compared, up to a maximum that only larger sizes reach.
  "links with parameters": (count) => {
    const parameters = names("parameter", count / 4).map((name) => ({ name, in: "query", schema: {} }));
    const link = (name: string) => ({ operationId: "x", parameters: { [name]: `$request.query.${name}` } });
    const links = Object.fromEntries(names("q", count / 4).map((name) => [name, link(name)]));
    const responses = { 200: { description: "x", links } };
    return textWith({ paths: { "/b": { get: { operationId: "x", parameters, responses } } } });
  },
  "unknown fields": (count) => {
    const stream = Object.fromEntries(names("unknown", count).map((name) => [name, 0]));
    return textWith(documentWith({}, stream));
  },
  "a chain of references": (count) => {
    const chain = names("s", count).map((name, index) => [
      name,
      index + 1 < count ? { $ref: `#/components/schemas/s${index + 1}` } : { type: "string" },
    ]);
    return textWith({ components: { schemas: Object.fromEntries(chain) } });
  },
};

const names = (start: string, count: number): readonly string[] =>
  Array.from({ length: Math.ceil(count) }, (_, index) => `${start}${index}`);

function oauth(scopes: readonly string[]): object {
  const declared = Object.fromEntries(scopes.map((scope) => [scope, "x"]));
  return {
    type: "oauth2",
    flows: { clientCredentials: { tokenUrl: "https://a.example/token", scopes: declared } },
  };
}

function textWith(parts: object): string {
  return JSON.stringify({ ...documentWith({}, {}), ...parts }, null, 1);
}

/** The documents as work: check them. */
export const documentWorks: readonly Work[] = Object.entries(documents).map(([name, make]) => ({
  name,
  prepare(size) {
    const text = make(Math.ceil(size / 16));
    return () => check(name === "successive comments" ? "api.yaml" : "api.json", text);
  },
}));

export const documentUses = Object.keys(uses);

/** Returns a use as work on the texts of an input. */
export function workOfUse(use: string, { name, make }: Input<string>): Work {
  return {
    name: `${use}, ${name}`,
    prepare(size) {
      const text = make(size);
      return () => uses[use]?.(text);
    },
  };
}
