// What is known of messages as TypeScript: `types.ts`, for people who write clients and for those who write
// mappings. json-schema-to-typescript does the translation.

import type { JSONSchema4 } from "json-schema";
import type { ApiPlan, MessageStepPlan, Plan, StreamPlan } from "../plan/plan.ts";
import { locate } from "../source/source.ts";
import type { JsonSchema } from "../value-types/json-schema/json-schema.ts";
import { banner } from "./assemble.ts";
import { createTypeDefinitions, type TypeDefinitions } from "./type-definitions.ts";

/** The text of `types.ts`. */
export async function emitTypes(plan: Plan, sources: readonly string[]): Promise<string> {
  const apis = plan.apis.filter((api) => api.streams.length > 0);
  if (apis.length === 0) return `${banner(sources)}\nexport {};\n`;
  const { compile } = await import("json-schema-to-typescript");
  const root: JSONSchema4 = { title: "Messages", ...withoutMethods(collectSchemas(apis)) };
  const text = await compile(root, "Messages", {
    additionalProperties: true,
    bannerComment: "",
    format: true,
    style: { printWidth: 110 },
    unknownAny: true,
  });
  return `${banner(sources)}\n${withBlankLines(text.trim().replaceAll(standIn, method))}\n`;
}

/** The translation calls this method of every object in a schema; a property of that name stands under another one meanwhile. */
const method = "hasOwnProperty";
const standIn = "hasOwnProperty_of_a_message";

function withoutMethods<T>(value: T): T;
function withoutMethods(value: unknown): unknown {
  if (value === method) return standIn;
  if (Array.isArray(value)) return value.map((each) => withoutMethods(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [withoutMethods(key), withoutMethods(inner)]),
  );
}

/** Declarations apart, which the translation leaves close together. */
function withBlankLines(text: string): string {
  return text.replaceAll(/^(\}|.*;)\n(?=export |\/\*\*)/gm, "$1\n\n");
}

/** One property an API, one a stream below that, and one a step below that; definitions side by side. */
function collectSchemas(apis: readonly ApiPlan[]): JsonSchema & object {
  const definitions = createTypeDefinitions();
  const properties = apis.map((api) => [api.id, describeApi(api, definitions)] as const);
  return {
    ...closedObject("What messages look like behind each step, by API and stream.", properties),
    $defs: definitions.all(),
  };
}

function describeApi(api: ApiPlan, definitions: TypeDefinitions): JsonSchema {
  const streams = api.streams.map((stream) => [stream.name, describeStream(stream, definitions)] as const);
  return closedObject(`The streams of ${api.id}.`, streams);
}

/** A type is called after the stream and the first step behind which messages look like that. */
function describeStream(stream: StreamPlan, definitions: TypeDefinitions): JsonSchema {
  const steps = stream.messages.map((step) => {
    const { name, component, label } = step;
    const words = name === "input" || name === "output" ? name : (label ?? component);
    const schema = definitions.adopt(step.schema, `${stream.name} ${words}`, step.isDeclared);
    return [name, withDescription(schema, placeOf(step))] as const;
  });
  return closedObject(undefined, steps);
}

/** `check stock, orders.yaml:23` */
function placeOf({ label, span }: MessageStepPlan): string {
  const { file, start } = locate(span);
  return `${label === undefined ? "" : `${label}, `}${file.path}:${start.line}`;
}

/** The translation takes what only has a description for an object, and ignores it beside a reference. */
function withDescription(schema: JsonSchema, description: string): JsonSchema {
  if (typeof schema === "boolean") return { description, tsType: schema ? "unknown" : "never" };
  return "$ref" in schema ? { description, allOf: [schema] } : { ...schema, description };
}

function closedObject(
  description: string | undefined,
  properties: readonly (readonly [string, JsonSchema])[],
) {
  return {
    type: "object" as const,
    ...(description === undefined ? {} : { description }),
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    required: properties.map(([name]) => name),
  };
}
