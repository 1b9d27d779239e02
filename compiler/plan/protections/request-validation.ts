// Plans `validateRequest`: the protection that validates the bodies and parameters of requests against the described
// operations. The plan of a parameter states how it is read and the schema it must satisfy.

import type { ApiModel } from "../../model/api.ts";
import { contentOf, type RequestBody, requestBodyOf, schemaIn } from "../../model/operation-parts.ts";
import type { DeclaredParameter } from "../../model/operations.ts";
import { overlappingOperations } from "../../model/overlapping-operations.ts";
import { bodyFormatOf, mediaTypeOf, type OperationToValidate } from "../../model/validated-operations.ts";
import { entriesOf } from "../../model/written.ts";
import { type DocumentNode, findNode } from "../../trees/document.ts";
import { escapeKey } from "../../trees/pointer.ts";
import type { JsonSchema } from "../../value-types/json-schema/json-schema.ts";
import type { ObjectPlan, ProtectionPlan, ValuePlan } from "../plan.ts";
import { literal, objectOf } from "../values.ts";
import { asKeywords, partsOf, propertiesOf, requestSchema, withNames } from "./request-schemas.ts";

/** A planned parameter. */
interface PlannedParameter {
  readonly plan: ObjectPlan;
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema & object;
}

/** Headers that OpenAPI does not allow as parameters, because it describes them elsewhere. */
const otherHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

const styles: Readonly<Record<string, string>> = {
  path: "simple",
  query: "form",
  header: "simple",
  cookie: "form",
};

/** Returns how a parameter is read; `undefined` if it is not validated. */
function planParameter(
  { node, name, in: place, style: written }: DeclaredParameter,
  api: ApiModel,
): PlannedParameter | undefined {
  const usual = place === undefined ? undefined : styles[place];
  if (place === undefined || name === undefined || usual === undefined) return undefined;
  if (place === "header" && otherHeaders.has(name.toLowerCase())) return undefined;
  const inContent = contentSchema(node, api);
  const described = schemaIn(node, api.references) ?? inContent;
  const schema = described === undefined ? {} : requestSchema(described, api);
  const style = inContent === undefined ? (written ?? usual) : "json";
  const explode = flagOf(node, "explode") ?? (style === "form" || style === "deepObject");
  const shape = shapeOf(schema, schema);
  const all = shape === "object" ? Object.keys(propertiesOf(schema, schema)) : [];
  const fields = style === "deepObject" ? plainFields(schema) : all;
  return {
    plan: objectOf({
      in: literal(place),
      name: literal(name),
      style: literal(style),
      explode: literal(explode),
      shape: literal(shape),
      ...(fields.length > 0 && { fields: { kind: "List", items: fields.map(literal) } }),
    }),
    in: place,
    name,
    required: place === "path" || (flagOf(node, "required") === true && !isTaken(place, name, api)),
    schema,
  };
}

/** Whether a parameter is a credential that authentication, which comes first, may take from the request. */
function isTaken(place: string, name: string, { authentication, streamsNode }: ApiModel): boolean {
  const isKept = streamsNode === undefined && authentication.options.length === 0;
  const schemes = authentication.isRequired && !isKept ? [...authentication.schemes.values()] : [];
  return schemes.some(({ isOff, sources }) =>
    sources.some(
      (source) =>
        !isOff &&
        source.place === place &&
        (place === "header" ? source.name.toLowerCase() === name.toLowerCase() : source.name === name),
    ),
  );
}

/** Returns one schema for all parameters, by location and name. The definitions of each parameter stay inside its schema. */
function planParameterSchema(parameters: readonly PlannedParameter[]): JsonSchema & object {
  const places = [...Map.groupBy(parameters, (parameter) => parameter.in)];
  const definitions: Record<string, unknown> = {};
  const properties = places.map(([place, own]) => {
    const schemas = own.map(({ name, schema }) => {
      const key = `${place} ${name}`;
      definitions[key] = localised(schema, `#/$defs/${escapePointer(key)}`);
      return [name, { $ref: `#/$defs/${escapePointer(key)}` }] as const;
    });
    const required = own.filter((each) => each.required).map(({ name }) => name);
    return [place, withNames({ type: "object", properties: Object.fromEntries(schemas), required })] as const;
  });
  return { type: "object", properties: Object.fromEntries(properties), $defs: definitions };
}

/** Rewrites references to definitions of a schema that is now at `pointer`. */
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
  return encodeURIComponent(escapeKey(key));
}

/** Returns the schema of a parameter with `content` instead of `schema`: its one media type, if that is JSON. */
function contentSchema(node: DocumentNode, api: ApiModel): DocumentNode | undefined {
  const content = contentOf(node, api.references);
  const [entry] = content?.kind === "map" ? content.entries : [];
  return entry !== undefined && /[/+]json\b/.test(entry.key)
    ? schemaIn(entry.value, api.references)
    : undefined;
}

/** Returns the type of value that the texts of a parameter are combined into. */
function shapeOf(schema: unknown, root: JsonSchema, depth = 0): "text" | "list" | "object" {
  const { type, properties, items } = asKeywords(schema);
  const types = [type].flat();
  if (types.includes("array") || (type === undefined && items !== undefined)) return "list";
  if (types.includes("object") || (type === undefined && properties !== undefined)) return "object";
  if (depth > 10) return "text";
  const parts = partsOf(schema, root);
  return parts.map((part) => shapeOf(part, root, depth + 1)).find((shape) => shape !== "text") ?? "text";
}

/** Returns the declared properties that are no objects: nothing is written into them. */
function plainFields(schema: JsonSchema): readonly string[] {
  return Object.entries(propertiesOf(schema, schema)).flatMap(([name, property]) =>
    shapeOf(property, schema) === "object" ? [] : [name],
  );
}

function flagOf(node: DocumentNode, key: string): boolean | undefined {
  const found = findNode(node, key);
  return found?.kind === "scalar" && typeof found.value === "boolean" ? found.value : undefined;
}

/** Plans the validation of the operations that have it enabled. */
export function planRequestValidation(api: ApiModel): ProtectionPlan | undefined {
  const { operations, span } = api.requestValidation;
  if (operations.length === 0 || span === undefined) return undefined;
  const passed = overlappingOperations(operations, api).map(({ verb, path }) =>
    objectOf({ verb: literal(verb), path: literal(path) }),
  );
  return {
    name: "request_validation",
    origin: { span, path: "x-gw-api-gateway.middleware" },
    options: objectOf({
      operations: { kind: "List", items: operations.map((operation) => planOperation(operation, api)) },
      ...(passed.length > 0 && { passed: { kind: "List", items: passed } }),
    }),
  };
}

function planOperation(operation: OperationToValidate, api: ApiModel): ObjectPlan {
  const { verb, path, status, name, node } = operation;
  const parameters = operation.parameters.flatMap((parameter) => planParameter(parameter, api) ?? []);
  const body = planBody(requestBodyOf(node, api.references), name, api);
  return objectOf({
    verb: literal(verb),
    path: literal(path),
    ...(status === 422 ? {} : { status: literal(status) }),
    ...(parameters.length === 0
      ? {}
      : {
          parameters: { kind: "List", items: parameters.map(({ plan }) => plan) },
          check: {
            kind: "SchemaCheck",
            name,
            schema: planParameterSchema(parameters),
            takesTexts: true,
            tellsAll: true,
          },
        }),
    ...(body === undefined ? {} : { body }),
  });
}

function planBody(body: RequestBody | undefined, name: string, api: ApiModel): ObjectPlan | undefined {
  const content = entriesOf(body?.content);
  if (body === undefined || content.length === 0) return undefined;
  const types = content.map(({ key, value }) => planMedia(key, value, name, api));
  return objectOf({
    required: literal(body.isRequired),
    content: { kind: "List", items: types },
  });
}

function planMedia(key: string, node: DocumentNode, name: string, api: ApiModel): ObjectPlan {
  const type = mediaTypeOf(key);
  const format = bodyFormatOf(type);
  const schema = schemaIn(node, api.references);
  if (format === undefined || schema === undefined) return objectOf({ type: literal(type) });
  const whole = requestSchema(schema, api);
  const fields = format === "form" ? plainFields(whole) : [];
  const check = (tellsAll: boolean): ValuePlan => ({
    kind: "SchemaCheck",
    name: `${name} ${tellsAll ? "body" : "large body"}`,
    schema: whole,
    takesTexts: format === "form",
    tellsAll,
  });
  return objectOf({
    type: literal(type),
    ...(format === "json" ? {} : { format: literal(format) }),
    ...(fields.length > 0 && { fields: { kind: "List", items: fields.map(literal) } }),
    check: check(true),
    quickCheck: check(false),
  });
}
