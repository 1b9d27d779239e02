// `validateRequest` in, the protection that holds requests against their operations out.

import type { ApiModel } from "../../model/api.ts";
import { operationsBeside } from "../../model/operations.ts";
import type { OperationToValidate } from "../../model/validated-operations.ts";
import { type DocumentNode, findNode } from "../../trees/document.ts";
import type { JsonSchema } from "../../value-types/json-schema/json-schema.ts";
import type { FieldPlan, ObjectPlan, ProtectionPlan, ValuePlan } from "../plan.ts";
import { planParameter, planParameterSchema } from "./parameters.ts";
import { requestSchema } from "./request-schema.ts";

/** Whatever is there fits. */
const whatever: JsonSchema & object = {};

/** The operations whose requests are validated. */
export function planRequestValidation(api: ApiModel): ProtectionPlan | undefined {
  const { operations, span } = api.requestValidation;
  if (operations.length === 0 || span === undefined) return undefined;
  const passed = operationsBeside(operations, api).map(({ verb, path }) =>
    objectPlan({ verb: literal(verb), path: literal(path) }),
  );
  return {
    name: "request_validation",
    origin: { span, path: "x-gw-api-gateway.middleware" },
    options: objectPlan({
      operations: { kind: "List", items: operations.map((operation) => planOperation(operation, api)) },
      ...(passed.length > 0 && { passed: { kind: "List", items: passed } }),
    }),
  };
}

function planOperation(operation: OperationToValidate, api: ApiModel): ObjectPlan {
  const { verb, path, status, name, node } = operation;
  const parameters = operation.parameters.flatMap((parameter) => planParameter(parameter, api) ?? []);
  const body = planBody(api.references.find(node, "requestBody"), name, api);
  return objectPlan({
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

function planBody(node: DocumentNode | undefined, name: string, api: ApiModel): ObjectPlan | undefined {
  const content = api.references.find(node, "content");
  if (content?.kind !== "map" || content.entries.length === 0) return undefined;
  const required = findNode(node, "required");
  const types = content.entries.map(({ key, value }) => planMedia(key, value, name, api));
  return objectPlan({
    required: literal(required?.kind === "scalar" && required.value === true),
    content: { kind: "List", items: types },
  });
}

function planMedia(key: string, node: DocumentNode, name: string, api: ApiModel): ObjectPlan {
  const type = (key.split(";", 1)[0] ?? "").trim().toLowerCase();
  const format = formatOf(type);
  const schema = api.references.find(node, "schema");
  if (format === undefined || schema === undefined) return objectPlan({ type: literal(type) });
  const check = (tellsAll: boolean): ValuePlan => ({
    kind: "SchemaCheck",
    name: `${name} ${tellsAll ? "body" : "large body"}`,
    schema:
      schema.kind === "scalar"
        ? schema.value === false
          ? { not: whatever }
          : whatever
        : requestSchema(schema, api),
    takesTexts: format === "form",
    tellsAll,
  });
  return objectPlan({
    type: literal(type),
    ...(format === "json" ? {} : { format: literal(format) }),
    check: check(true),
    quickCheck: check(false),
  });
}

/** How content of a type is read; `undefined` for what no schema validates. */
function formatOf(type: string): "json" | "form" | "text" | undefined {
  if (/^[\w.-]+\/(?:[\w.+-]+\+)?json$/.test(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  return type.startsWith("text/") ? "text" : undefined;
}

function objectPlan(fields: Readonly<Record<string, ValuePlan>>): ObjectPlan {
  const entries = Object.entries(fields).map(
    ([name, value]): FieldPlan => ({ name, value, defaulted: false }),
  );
  return { kind: "Object", fields: entries };
}

function literal(value: string | number | boolean): ValuePlan {
  return { kind: "Literal", value };
}
