// Configured values as plan values: scripts planned, durations in milliseconds, fallbacks of environment
// variables read by the type of their field.

import { parseDuration } from "../../schemas/duration.ts";
import { invariant } from "../diagnostics/invariant.ts";
import type { EnvironmentField, EnvironmentPart, FieldNode, TemplateField } from "../parse/document/api.ts";
import type { Expression, Mapping, Template } from "../parse/mapping/ast.ts";
import { joinSpans } from "../source/source.ts";
import type { MappingPlan, QueryPlan, TemplatePlan } from "./mapping/ir.ts";
import type {
  EnvironmentPartPlan,
  EnvironmentPlan,
  Fallback,
  JoinedTextPlan,
  LiteralPlan,
  ValuePlan,
} from "./plan.ts";
import { planComponent } from "./plan-component.ts";

/** Lowers checked scripts; given from outside because it knows what the check found out. */
export interface ScriptPlanner {
  mapping(mapping: Mapping): MappingPlan;
  query(query: Expression): QueryPlan;
  /** `template` is `whole`, or a run of its parts. */
  template(whole: Template, template: Template): TemplatePlan;
}

/** The plan value of a configured value; `path` is where it stands in its document. */
export function planField(field: FieldNode, scripts: ScriptPlanner, path = ""): ValuePlan {
  switch (field.kind) {
    case "Literal":
      return { kind: "Literal", value: field.value };
    case "Duration":
      return { kind: "Literal", value: field.milliseconds };
    case "Environment":
      return { kind: "Environment", type: field.type, parts: planParts(field) };
    case "Mapping":
      return scripts.mapping(field.mapping);
    case "Query":
      return scripts.query(field.query);
    case "Template":
      return planTemplateField(field, scripts);
    case "Component":
      return planComponent(field.component, `${path}.${field.component.name}`, scripts);
    case "List":
      return {
        kind: "List",
        items: field.items.map((item, index) => planField(item, scripts, `${path}[${index}]`)),
      };
    case "Object":
      return {
        kind: "Object",
        fields: field.fields.map(({ name, value }) => ({
          name,
          value: planField(value, scripts, `${path}.${name}`),
          defaulted: false,
        })),
      };
  }
}

/** Parts of a longer text are texts themselves; only a lone one has the type of its field. */
function planParts(field: EnvironmentField): readonly EnvironmentPartPlan[] {
  return field.parts.map((part) => planPart(part, field.parts.length === 1 ? field.type : "string"));
}

function planPart(part: EnvironmentPart, type: EnvironmentField["type"]): EnvironmentPartPlan {
  switch (part.kind) {
    case "Text":
      return part;
    case "File":
      return { kind: "File", path: part.path };
    case "Variable": {
      const { name, fallback } = part;
      return {
        kind: "Variable",
        name,
        ...(fallback === undefined ? {} : { fallback: readFallback(fallback, type) }),
      };
    }
  }
}

/** A default as the value it stands for; the parser has made sure that it reads as its field's type. */
function readFallback(text: string, type: EnvironmentField["type"]): Fallback {
  switch (type) {
    case "string":
      return text;
    case "integer":
    case "number":
      return Number(text);
    case "boolean":
      return text === "true";
    case "duration":
      return parseDuration(text) ?? 0;
    case "list":
      return text.split(",").map((item) => item.trim());
  }
}

/**
 * Text around queries may read the environment. Runs of text and queries stay one template, so that they
 * become one function; what is read at start stands between them.
 */
function planTemplateField(field: TemplateField, scripts: ScriptPlanner): TemplatePlan | JoinedTextPlan {
  if (field.parts.every((part) => part.kind === "QueryPart" || part.kind === "Text")) {
    return scripts.template(field.template, field.template);
  }
  const parts: (LiteralPlan | EnvironmentPlan | TemplatePlan)[] = [];
  let run: Template["parts"] = [];
  const endRun = (): void => {
    if (run.length > 0) parts.push(planRun(field.template, run, scripts));
    run = [];
  };
  for (const part of field.parts) {
    if (part.kind === "QueryPart") run = [...run, part];
    else if (part.kind === "Text") run = [...run, { kind: "TextPart", text: part.text, span: field.span }];
    else {
      endRun();
      parts.push({ kind: "Environment", type: "string", parts: [planPart(part, "string")] });
    }
  }
  endRun();
  return { kind: "JoinedText", parts };
}

function planRun(
  whole: Template,
  run: Template["parts"],
  scripts: ScriptPlanner,
): LiteralPlan | TemplatePlan {
  const [first] = run;
  const last = run.at(-1);
  invariant(first !== undefined && last !== undefined, "a run has parts");
  if (run.length === 1 && first.kind === "TextPart") return { kind: "Literal", value: first.text };
  return scripts.template(whole, { ...whole, parts: run, span: joinSpans(first.span, last.span) });
}
