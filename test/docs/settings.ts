// Checks the YAML of a page. Parts of documents and of settings are first completed to a whole document.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { checkDocuments } from "../../compiler/compile.ts";
import { readManagementSettings } from "../../compiler/management-settings.ts";
import gatewaySchema from "../../schemas/gateway.schema.json" with { type: "json" };
import { temporaryDirectory } from "../harness/directories.ts";
import type { Block } from "./markdown.ts";

type Fields = Readonly<Record<string, unknown>>;

const document = {
  openapi: "3.1.0",
  info: { title: "Orders", version: "1.0.0" },
  paths: {
    "/new": { post: { operationId: "createOrder", responses: { 200: { description: "Taken." } } } },
    "/health": { get: { operationId: "health", responses: { 200: { description: "Well." } } } },
  },
  "x-gw-api-gateway": {
    info: { id: "orders", name: "Orders", state: { active: true } },
    server: { listenPath: { value: "/orders/" } },
    upstream: { url: "http://127.0.0.1:8090" },
  },
  "x-gw-streaming": {
    streams: { intake: { input: { http_server: { path: "/new" } }, output: { drop: {} } } },
  },
};
const gateway = { streaming: { enabled: true }, apis: ["orders.yaml"] };
const stream = { input: { generate: { mapping: "root = {}" } }, output: { drop: {} } };

/** Returns the errors of a block, one line each. A block of an unknown kind is an error, too. */
export async function mistakesIn({ text, file }: Block): Promise<readonly string[]> {
  const folder = temporaryDirectory("docs");
  const write = (name: string, value: object) => writeFileSync(join(folder, name), stringify(value));
  const fields: unknown = parse(text);
  if (!isFields(fields)) return ["is no object"];
  const named = file ?? /^# (\S+\.yaml)/.exec(text)?.[1];
  if (named === "management.yaml") {
    writeFileSync(join(folder, "management.yaml"), text);
    const { diagnostics } = await readManagementSettings(join(folder, "management.yaml"));
    return lines(diagnostics);
  }
  write("orders.yaml", document);
  if (isPartOf(fields, Object.keys(gatewaySchema.properties)) && !("openapi" in fields)) {
    mkdirSync(join(folder, "apis"));
    write("apis/stock.yaml", { ...document, info: { title: "Stock", version: "1" } });
    write("gateway.yaml", { ...gateway, ...fields });
    return lines((await checkDocuments([join(folder, "gateway.yaml")])).diagnostics);
  }
  const whole = wholeOf(fields);
  if (whole === undefined) return [`${Object.keys(fields).join(", ")}: of no kind that is known here`];
  write("block.yaml", whole);
  return lines((await checkDocuments([join(folder, "block.yaml")])).diagnostics);
}

/** Returns a document that contains a part of a document. */
function wholeOf(fields: Fields): object | undefined {
  if ("openapi" in fields) return fields;
  if ("securitySchemes" in fields) return within(fields, ["x-gw-api-gateway", "server", "authentication"]);
  if ("server" in fields) return within(fields, ["x-gw-api-gateway"]);
  if ("x-gw-api-gateway" in fields || "components" in fields) return merged(document, fields);
  if (isPartOf(fields, ["input", "output", "pipeline", "buffer", "cache_resources", "processor_resources"]))
    return { ...stream, ...fields };
  return undefined;
}

function within(fields: Fields, path: readonly string[]): object {
  return merged(
    document,
    path.reduceRight<Fields>((inner, key) => ({ [key]: inner }), fields),
  );
}

function merged(one: Fields, other: Fields): Fields {
  const both = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isFields(before) && isFields(value) ? merged(before, value) : value];
  });
  return { ...one, ...Object.fromEntries(both) };
}

function isPartOf(fields: Fields, known: readonly string[]): boolean {
  return Object.keys(fields).every((key) => known.includes(key));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lines(
  diagnostics: readonly { readonly severity: string; readonly code: string; readonly message: string }[],
): readonly string[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code}: ${message}`);
}

/** Whether a text of the repository contains the lines of a block, in their order. */
export function isExcerpt(block: string, text: string): boolean {
  const wanted = block
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "…");
  let at = 0;
  for (const line of text.split("\n")) if (line.trim() === wanted[at]) at += 1;
  return at === wanted.length;
}
