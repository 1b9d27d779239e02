// Restricts values of requests in fields that take a pattern, such as the subjects of a subscription, to literals.

import { type FormatName, isReserved, literalForms, unreservedForms } from "../../schemas/formats/formats.ts";
import type { Schema } from "../../schemas/schema.ts";
import type { EnvironmentPlan, JoinedTextPlan, ObjectPlan, ValuePlan } from "./plan.ts";
import { mapChanged, mapFields } from "./values.ts";

/**
 * Returns options in which request variables must be literals. A value that is the whole field may contain separators; one
 * that is a part of the field may not. `allow_wildcards` lifts both rules: then the whole text has to
 * be a valid pattern. No request may supply a name that a server reserves.
 */
export function withRequestLiterals(options: ObjectPlan, { properties = {} }: Schema): ObjectPlan {
  const allowsWildcards = isSwitchedOn(options, "allow_wildcards");
  const isRegexp = isSwitchedOn(options, "regexp_topics");
  return mapFields(options, ({ name, value }) => {
    if (value.kind === "Literal") return value;
    const isLiteral = !allowsWildcards && isPattern(properties[name], options);
    const hold: Hold = (value) => withoutReserved(isLiteral ? literalParts(value, isRegexp) : value);
    return held(value, { hold, isLiteral });
  });
}

type Hold = (value: EnvironmentPlan) => EnvironmentPlan;

interface Holding {
  readonly hold: Hold;
  /** Whether values of messages and requests are literal in patterns. */
  readonly isLiteral: boolean;
}

/** Whether a field is a pattern. Some fields are one only if another field, known at compile time, has a certain value. */
function isPattern(schema: Schema | undefined, { fields }: ObjectPlan): boolean {
  return Object.entries(schema?.["x-pattern-when"] ?? {}).every(([name, expected]) => {
    const value = fields.find((field) => field.name === name)?.value;
    return value?.kind === "Literal" && value.value === expected;
  });
}

/** Whether a field, known at compile time, is `true`. */
function isSwitchedOn({ fields }: ObjectPlan, name: string): boolean {
  return fields.some((field) => field.name === name && isTrue(field.value));
}

function isTrue(value: ValuePlan): boolean {
  return value.kind === "Literal" && value.value === true;
}

/** Applies the restriction to a value. Inner components are skipped: their own fields decide. */
function held(value: ValuePlan, holding: Holding): ValuePlan {
  switch (value.kind) {
    case "Environment":
      return holding.hold(value);
    case "JoinedText":
      return value.given === undefined ? value : heldPattern(value, value.given, holding);
    case "List": {
      const items = mapChanged(value.items, (item) => held(item, holding));
      return items === value.items ? value : { ...value, items };
    }
    case "Object":
      return mapFields(value, (field) => held(field.value, holding));
    default:
      return value;
  }
}

function heldPattern(
  { given: _, ...text }: JoinedTextPlan,
  format: FormatName,
  { isLiteral }: Holding,
): JoinedTextPlan {
  if (!isLiteral) return text;
  const limit = { kind: "Form", format } as const;
  const parts = text.parts.map((part) =>
    part.kind === "Environment" && part.parts.some(({ kind }) => kind === "Request")
      ? { ...part, limit }
      : part,
  );
  return { ...text, parts, given: format };
}

function literalParts(value: EnvironmentPlan, isRegexp: boolean): EnvironmentPlan {
  const format = value.limit?.kind === "Form" ? formOf(value.limit.format, value, isRegexp) : undefined;
  if (format === undefined) return value;
  const parts = value.parts.map((part) =>
    part.kind === "Request" ? { ...part, limit: { kind: "Form", format } as const } : part,
  );
  return { ...value, parts };
}

/** Prevents a request that supplies the beginning of a text from forming a reserved name. */
function withoutReserved(value: EnvironmentPlan): EnvironmentPlan {
  const { limit, parts } = value;
  const [first] = parts;
  if (limit?.kind !== "Form" || first === undefined || !parts.some(({ kind }) => kind === "Request"))
    return value;
  const isWritten = first.kind === "Text" ? isReserved(limit.format, first.text) : first.kind !== "Request";
  const unreserved = unreservedForms[limit.format];
  if (isWritten || unreserved === undefined) return value;
  return { ...value, limit: { ...limit, format: unreserved }, parts: parts.map(withUnreservedPart) };
}

/** Gives a part that is the whole field its own format, which excludes reserved names. */
function withUnreservedPart(part: EnvironmentPlan["parts"][number]): EnvironmentPlan["parts"][number] {
  if (part.kind !== "Request" || part.limit?.kind !== "Form") return part;
  const format = unreservedForms[part.limit.format];
  return format === undefined ? part : { ...part, limit: { kind: "Form", format } };
}

function formOf(pattern: FormatName, { parts }: EnvironmentPlan, isRegexp: boolean): FormatName | undefined {
  const forms = literalForms[pattern];
  if (forms === undefined) return undefined;
  if (pattern === "kafka-topic-pattern" && isRegexp) return "kafka-pattern-literal";
  return parts.length === 1 ? forms.whole : forms.part;
}
