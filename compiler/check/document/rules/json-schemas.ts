// The schema of `json_schema`: it is JSON, a schema, and refers to nothing but itself.

import { createRequire } from "node:module";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../parse/document/api.ts";
import { findField, literalText } from "../components.ts";

const require = createRequire(import.meta.url);

/** Reports a schema that no message could be held against. */
export function checkJsonSchema(component: ComponentNode, report: Report): void {
  if (component.role !== "processor" || component.name !== "json_schema") return;
  const value = findField(component.config, "schema")?.value;
  const text = literalText(value);
  if (value === undefined || text === undefined || text === "") return;
  const reason = findFault(text);
  if (reason !== undefined) report("GW4150", value.span, { reason });
}

function findFault(text: string): string | undefined {
  try {
    const schema: unknown = JSON.parse(text);
    if (!isSchema(schema)) return "a schema is an object, `true` or `false`";
    const ajv = createAjv();
    ajv.compile(typeof schema === "boolean" ? schema : modern(schema));
    return undefined;
  } catch (error) {
    // Whatever is thrown here is about the schema: it is JSON's or the library's word on it.
    return error instanceof Error ? error.message : String(error);
  }
}

/** Loaded where a document has such a schema: it takes longer to load than most documents to check. */
function createAjv() {
  const { Ajv } = require("ajv") as typeof import("ajv");
  const addFormats = require("ajv-formats") as typeof import("ajv-formats").default;
  const ajv = new Ajv({ strict: false, logger: false, validateSchema: false });
  addFormats.default(ajv);
  return ajv;
}

/** As later drafts write it: draft 4 has another name for identifiers, and flags where they have bounds. */
function modern(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const rows = Object.entries(schema).flatMap(([key, value]) => {
    if (key === "$schema" || (key.startsWith("exclusiveM") && typeof value === "boolean")) return [];
    return [[key === "id" && typeof value === "string" ? "$id" : key, modernValue(value)] as const];
  });
  return Object.fromEntries(rows);
}

function modernValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(modernValue);
  return isSchema(value) && typeof value !== "boolean" ? modern(value) : value;
}

function isSchema(value: unknown): value is boolean | Readonly<Record<string, unknown>> {
  return typeof value === "boolean" || (typeof value === "object" && value !== null && !Array.isArray(value));
}
