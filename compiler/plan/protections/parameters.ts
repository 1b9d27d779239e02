// Parameters of an operation in, how they are read and what they have to fit out.

import type { ApiModel } from "../../model/api.ts";
import type { DeclaredParameter } from "../../model/operations.ts";
import { type DocumentNode, findNode, findText } from "../../trees/document.ts";
import type { JsonSchema } from "../../value-types/json-schema/json-schema.ts";
import type { FieldPlan, ObjectPlan, ValuePlan } from "../plan.ts";
import { requestSchema } from "./request-schema.ts";

/** A parameter, planned. */
export interface PlannedParameter {
  readonly plan: ObjectPlan;
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema & object;
}

/** Headers that say something of the request itself; OpenAPI has them described elsewhere. */
const otherHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);
const styles: Readonly<Record<string, string>> = {
  path: "simple",
  query: "form",
  header: "simple",
  cookie: "form",
};

/** How a parameter is read; `undefined` for one that is not validated. */
export function planParameter(
  { node, name, in: place }: DeclaredParameter,
  api: ApiModel,
): PlannedParameter | undefined {
  const usual = place === undefined ? undefined : styles[place];
  if (place === undefined || name === undefined || usual === undefined) return undefined;
  if (place === "header" && otherHeaders.has(name.toLowerCase())) return undefined;
  const written = api.references.find(node, "schema") ?? contentSchema(node, api);
  const schema = written === undefined ? {} : requestSchema(written, api);
  const style = contentSchema(node, api) === undefined ? (findText(node, "style") ?? usual) : "json";
  const explode = flagOf(node, "explode") ?? (style === "form" || style === "deepObject");
  const shape = shapeOf(schema, schema);
  const fields = shape === "object" ? Object.keys(propertiesOf(schema, schema)) : [];
  return {
    plan: object({
      in: text(place),
      name: text(name),
      style: text(style),
      explode: { kind: "Literal", value: explode },
      shape: text(shape),
      ...(fields.length > 0 && { fields: { kind: "List", items: fields.map(text) } }),
    }),
    in: place,
    name,
    required: place === "path" || flagOf(node, "required") === true,
    schema,
  };
}

/** One schema of all values by place and name; the definitions of each stay with it. */
export function planParameterSchema(parameters: readonly PlannedParameter[]): JsonSchema & object {
  const places = [...Map.groupBy(parameters, (parameter) => parameter.in)];
  const definitions: Record<string, unknown> = {};
  const properties = places.map(([place, own]) => {
    const schemas = own.map(({ name, schema }) => {
      const key = `${place} ${name}`;
      definitions[key] = localised(schema, `#/$defs/${escapePointer(key)}`);
      return [name, { $ref: `#/$defs/${escapePointer(key)}` }] as const;
    });
    const required = own.filter((each) => each.required).map(({ name }) => name);
    return [place, { type: "object", properties: Object.fromEntries(schemas), required }] as const;
  });
  return { type: "object", properties: Object.fromEntries(properties), $defs: definitions };
}

/** References to definitions of the schema, which now stands at `pointer`. */
function localised(value: unknown, pointer: string): unknown {
  if (Array.isArray(value)) return value.map((each) => localised(each, pointer));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === "$ref" && typeof each === "string" ? each.replace(/^#/, pointer) : localised(each, pointer),
    ]),
  );
}

function escapePointer(key: string): string {
  return encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** `content` in place of `schema`: one media type, which is read as JSON where it is. */
function contentSchema(node: DocumentNode, api: ApiModel): DocumentNode | undefined {
  const content = api.references.find(node, "content");
  const [entry] = content?.kind === "map" ? content.entries : [];
  return entry !== undefined && /[/+]json\b/.test(entry.key)
    ? api.references.find(entry.value, "schema")
    : undefined;
}

/** What the texts of a value are put together to. */
function shapeOf(schema: unknown, root: JsonSchema, depth = 0): "text" | "list" | "object" {
  const { type, $ref, allOf, properties, items } = asObject(schema);
  const types = [type].flat();
  if (types.includes("array") || (type === undefined && items !== undefined)) return "list";
  if (types.includes("object") || (type === undefined && properties !== undefined)) return "object";
  if (depth > 10) return "text";
  const parts = [...(Array.isArray(allOf) ? allOf : []), ...($ref === undefined ? [] : [follow($ref, root)])];
  return parts.map((part) => shapeOf(part, root, depth + 1)).find((shape) => shape !== "text") ?? "text";
}

function propertiesOf(schema: unknown, root: JsonSchema, depth = 0): Readonly<Record<string, unknown>> {
  const { properties, $ref, allOf } = asObject(schema);
  if (depth > 10) return {};
  const parts = [...(Array.isArray(allOf) ? allOf : []), ...($ref === undefined ? [] : [follow($ref, root)])];
  return Object.assign({}, ...parts.map((part) => propertiesOf(part, root, depth + 1)), asObject(properties));
}

function follow(reference: unknown, root: JsonSchema): unknown {
  const name = typeof reference === "string" ? reference.replace("#/$defs/", "") : "";
  return asObject(asObject(root).$defs)[name];
}

function flagOf(node: DocumentNode, key: string): boolean | undefined {
  const found = findNode(node, key);
  return found?.kind === "scalar" && typeof found.value === "boolean" ? found.value : undefined;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function text(value: string): ValuePlan {
  return { kind: "Literal", value };
}

function object(fields: Readonly<Record<string, ValuePlan>>): ObjectPlan {
  const entries = Object.entries(fields).map(
    ([name, value]): FieldPlan => ({ name, value, defaulted: false }),
  );
  return { kind: "Object", fields: entries };
}
