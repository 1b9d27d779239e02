// What values of requests may be where a field takes a pattern, such as the subjects of a subscription: themselves alone.

import { type FormatName, literalForms } from "../../schemas/formats/formats.ts";
import type { EnvironmentPlan, ObjectPlan, ValuePlan } from "./plan.ts";

/**
 * Options of a component whose request variables are held to what is literal in their fields. A value that fills a field
 * by itself may hold what divides such texts, and one that is a part of a text may not. `allow_wildcards` lifts both:
 * the text as a whole then has to be a pattern.
 */
export function withRequestLiterals(options: ObjectPlan): ObjectPlan {
  if (isSwitchedOn(options, "allow_wildcards")) return options;
  const isRegexp = isSwitchedOn(options, "regexp_topics");
  const { fields } = options;
  return {
    ...options,
    fields: fields.map((field) => ({ ...field, value: literal(field.value, isRegexp) })),
  };
}

/** Both fields are known when the gateway is built. */
function isSwitchedOn({ fields }: ObjectPlan, name: string): boolean {
  return fields.some((field) => field.name === name && isTrue(field.value));
}

function isTrue(value: ValuePlan): boolean {
  return value.kind === "Literal" && value.value === true;
}

/** Components inside have fields of their own to go by. */
function literal(value: ValuePlan, isRegexp: boolean): ValuePlan {
  switch (value.kind) {
    case "Environment":
      return literalParts(value, isRegexp);
    case "List":
      return { ...value, items: value.items.map((item) => literal(item, isRegexp)) };
    case "Object":
      return {
        ...value,
        fields: value.fields.map((field) => ({ ...field, value: literal(field.value, isRegexp) })),
      };
    default:
      return value;
  }
}

function literalParts(value: EnvironmentPlan, isRegexp: boolean): EnvironmentPlan {
  const format = value.limit?.kind === "Form" ? formOf(value.limit.format, value, isRegexp) : undefined;
  if (format === undefined) return value;
  const parts = value.parts.map((part) =>
    part.kind === "Request" ? { ...part, limit: { kind: "Form", format } as const } : part,
  );
  return { ...value, parts };
}

function formOf(pattern: FormatName, { parts }: EnvironmentPlan, isRegexp: boolean): FormatName | undefined {
  const forms = literalForms[pattern];
  if (forms === undefined) return undefined;
  if (pattern === "kafka-topic-pattern" && isRegexp) return "kafka-pattern-literal";
  return parts.length === 1 ? forms.whole : forms.part;
}
