// Texts that mappings write out as values, for components that tell them from texts of messages.

import type { Schema } from "../../schemas/schema.ts";
import type { ConstantValue, Planned, PlannedStatement } from "./mapping/ir.ts";
import type { FieldPlan, ObjectPlan } from "./plan.ts";

/** The options of a component whose schema is `schema`, with the texts of mappings that it wants to know (`x-written-texts`). */
export function withWrittenTexts(options: ObjectPlan, { properties = {} }: Schema): ObjectPlan {
  return { ...options, fields: options.fields.map((field) => withTexts(field, properties[field.name])) };
}

function withTexts(field: FieldPlan, schema: Schema | undefined): FieldPlan {
  const { value } = field;
  if (schema?.["x-written-texts"] !== true || value.kind !== "MappingPlan") return field;
  const writtenTexts = [...new Set(value.statements.flatMap(textsOfStatement))];
  return writtenTexts.length === 0 ? field : { ...field, writtenTexts };
}

function textsOfStatement(statement: PlannedStatement): readonly string[] {
  if (statement.kind !== "Choose") return textsOf(statement.value);
  const branches = [...statement.branches.map(({ statements }) => statements), statement.otherwise];
  return branches.flat().flatMap(textsOfStatement);
}

/** Texts that are the value or elements of it as they are; what goes into a method is its argument, and no value. */
function textsOf(value: Planned): readonly string[] {
  switch (value.kind) {
    case "Constant":
      return textsOfConstant(value.value);
    case "MakeArray":
      return value.elements.flatMap(textsOf);
    case "Coalesce":
      return [value.left, value.right].flatMap(textsOf);
    case "Fallback":
      return [value.target, value.fallback].flatMap(textsOf);
    case "Choice":
      return [
        ...value.branches.map((branch) => branch.value),
        ...(value.otherwise ? [value.otherwise] : []),
      ].flatMap(textsOf);
    case "Match":
      return value.cases.flatMap((each) => textsOf(each.value));
    default:
      return [];
  }
}

function textsOfConstant(value: ConstantValue): readonly string[] {
  if (typeof value === "string") return [value];
  const isList = typeof value === "object" && value?.kind === "array";
  return isList ? value.items.flatMap(textsOfConstant) : [];
}
