// Options of a component in, those of them that are known before there is a message or a request: what is computed
// is replaced by what is fixed at its beginning (`Computed` of runtime/probe/probe.ts), other components are left out.

import type { TemplatePlan } from "../../plan/mapping/ir.ts";
import type {
  EnvironmentPlan,
  FieldPlan,
  JoinedTextPlan,
  LiteralPlan,
  ObjectPlan,
  ValuePlan,
} from "../../plan/plan.ts";

/** The options with every default spelled out. */
export function knownOptions(options: ObjectPlan): ObjectPlan {
  return { kind: "Object", fields: options.fields.flatMap(knownField) };
}

function knownField({ name, value }: FieldPlan): readonly FieldPlan[] {
  const known = knownValue(value);
  // Without its maker: probes take blocks as they are written.
  return known === undefined ? [] : [{ name, value: known, defaulted: false }];
}

function knownValue(value: ValuePlan): ValuePlan | undefined {
  switch (value.kind) {
    case "Literal":
      return value;
    case "Environment":
      return hasRequest(value) ? computed(fixedParts(value)) : value;
    case "JoinedText":
      return computedFrom(value);
    case "TemplatePlan":
      return computed([literal(fixedText(value))]);
    case "List":
      return { ...value, items: value.items.flatMap((item) => knownValue(item) ?? []) };
    case "Object":
      return knownOptions(value);
    case "Resource":
    case "SchemaCheck":
    case "MappingPlan":
    case "MappingSequence":
    case "QueryPlan":
      return computed([]);
    case "Component":
      return undefined;
  }
}

/** Up to the first part that comes of a message or a request. */
function computedFrom(text: JoinedTextPlan): ValuePlan {
  const beginning: JoinedTextPlan["parts"][number][] = [];
  for (const part of text.parts) {
    if (part.kind === "TemplatePlan") return computed([...beginning, literal(fixedText(part))]);
    if (part.kind === "Environment" && hasRequest(part)) return computed([...beginning, ...fixedParts(part)]);
    beginning.push(part);
  }
  return text;
}

function computed(beginning: JoinedTextPlan["parts"]): ObjectPlan {
  const value: ValuePlan = beginning.length === 0 ? literal("") : { kind: "JoinedText", parts: beginning };
  return { kind: "Object", fields: [{ name: "computed", value, defaulted: false }] };
}

function fixedParts({ parts }: EnvironmentPlan): readonly EnvironmentPlan[] {
  const end = parts.findIndex(({ kind }) => kind === "Request");
  return parts.slice(0, end).map((part) => ({ kind: "Environment", type: "string", parts: [part] }));
}

/** `orders-` of `orders-${! this.region }`. */
function fixedText({ parts }: TemplatePlan): string {
  const end = parts.findIndex((part) => typeof part !== "string");
  return parts.slice(0, end === -1 ? parts.length : end).join("");
}

function hasRequest({ parts }: EnvironmentPlan): boolean {
  return parts.some(({ kind }) => kind === "Request");
}

function literal(value: string): LiteralPlan {
  return { kind: "Literal", value };
}
