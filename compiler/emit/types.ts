// The declared shapes of messages as TypeScript: `types.ts`, for people who write clients and for later
// phases. json-schema-to-typescript does the translation.

import type { JSONSchema4 } from "json-schema";
import { invariant } from "../diagnostics/invariant.ts";
import type { ApiPlan, JsonSchema, Plan } from "../plan/plan.ts";
import { banner } from "./assemble.ts";
import { identifierFrom } from "./names.ts";

/** The text of `types.ts`. */
export async function emitTypes(plan: Plan, sources: readonly string[]): Promise<string> {
  const declared = plan.apis.filter((api) => api.streams.some((stream) => stream.schemas.length > 0));
  if (declared.length === 0) return `${banner(sources)}\nexport {};\n`;
  const { compile } = await import("json-schema-to-typescript");
  const root: JSONSchema4 = { title: "Messages", ...collectSchemas(declared) };
  const text = await compile(root, "Messages", {
    additionalProperties: true,
    bannerComment: "",
    format: true,
    style: { printWidth: 110 },
    unknownAny: true,
  });
  return `${banner(sources)}\n${withBlankLines(text.trim())}\n`;
}

/** Declarations apart, which the translation leaves close together. */
function withBlankLines(text: string): string {
  return text.replaceAll(/^(\}|.*;)\n(?=export |\/\*\*)/gm, "$1\n\n");
}

/** One property an API, one below a stream, `input` and `output` below that; definitions side by side. */
function collectSchemas(apis: readonly ApiPlan[]): JSONSchema4 {
  const definitions = new Map<string, JsonSchema>();
  const properties = apis.map((api) => [
    api.id,
    closedObject(
      `The streams of ${api.id}.`,
      api.streams
        .filter((stream) => stream.schemas.length > 0)
        .map((stream) => [
          stream.name,
          closedObject(
            undefined,
            stream.schemas.map(({ role, schema }) => [role, adoptDefinitions(schema, definitions)]),
          ),
        ]),
    ),
  ]);
  return {
    type: "object",
    additionalProperties: false,
    description: "What the declared messages look like, by API, stream and direction.",
    properties: Object.fromEntries(properties),
    required: apis.map((api) => api.id),
    $defs: Object.fromEntries(definitions),
  };
}

function closedObject(
  description: string | undefined,
  properties: readonly (readonly [string, JsonSchema])[],
): JsonSchema {
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
  };
}

/** Moves a schema's `$defs` to the common ones, under other names where an unlike one has the name. */
function adoptDefinitions(schema: JsonSchema, definitions: Map<string, JsonSchema>): JsonSchema {
  if (typeof schema === "boolean") return schema;
  const { $defs, ...rest } = schema;
  if ($defs === undefined) return rest;
  const own = Object.entries($defs as Readonly<Record<string, JsonSchema>>);
  const renamed = new Map(own.map(([name, definition]) => [name, freeName(name, definition, definitions)]));
  for (const [name, definition] of own) {
    const free = renamed.get(name);
    invariant(free !== undefined, "every definition has a name");
    definitions.set(free, rename(definition, renamed) as JsonSchema);
  }
  return rename(rest, renamed) as JsonSchema;
}

function freeName(
  name: string,
  definition: JsonSchema,
  definitions: ReadonlyMap<string, JsonSchema>,
): string {
  const base = identifierFrom(name, "type");
  const wanted = base.charAt(0).toUpperCase() + base.slice(1);
  let free = wanted;
  for (let number = 2; isTaken(free, definition, definitions); number++) free = `${wanted}${number}`;
  return free;
}

function isTaken(
  name: string,
  definition: JsonSchema,
  definitions: ReadonlyMap<string, JsonSchema>,
): boolean {
  const known = definitions.get(name);
  return known !== undefined && JSON.stringify(known) !== JSON.stringify(definition);
}

function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key !== "$ref" || typeof each !== "string") return [key, rename(each, names)];
      const name = each.slice("#/$defs/".length);
      return [key, `#/$defs/${names.get(name) ?? name}`];
    }),
  );
}
