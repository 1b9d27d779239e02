// Converts configured values and components to plan values: scripts are planned, durations become milliseconds, defaults
// are filled in.

import { type Component, type Inspection, type RuntimeLink, runtimeOf } from "../../schemas/component.ts";
import { parseDuration } from "../../schemas/duration.ts";
import {
  isReserved,
  type Literals,
  literalForms,
  pieceForms,
  unreservedForms,
} from "../../schemas/formats/formats.ts";
import { mappingProcessor } from "../../schemas/processors/mapping.ts";
import type { Schema } from "../../schemas/schema.ts";
import { invariant, unreachable } from "../diagnostics/invariant.ts";
import type {
  ComponentNode,
  EncodedText,
  EnvironmentField,
  EnvironmentPart,
  FieldNode,
  MappingField,
  ObjectField,
  TemplateField,
} from "../trees/api.ts";
import { pathInImplied } from "../trees/component-paths.ts";
import type { Expression, Mapping, QueryPart, Template } from "../trees/mapping.ts";
import { completeOptions, withBranchOrder } from "./composites.ts";
import { withDefaults } from "./defaults.ts";
import type {
  ConstantValue,
  MappingMode,
  MappingPlan,
  Planned,
  PlannedStatement,
  QueryPlan,
  TemplatePlan,
} from "./mapping/ir.ts";
import {
  bareOption,
  besideOption,
  type ComponentPlan,
  type EnvironmentPartPlan,
  type EnvironmentPlan,
  type Fallback,
  type FieldPlan,
  type JoinedTextPlan,
  type LiteralPlan,
  type ObjectPlan,
  type ValuePlan,
} from "./plan.ts";
import { plannedOptions } from "./planned-options.ts";
import { withRequestLiterals } from "./request-literals.ts";

/** Lowers checked scripts. The caller supplies it because it knows the results of the check. */
export interface ScriptPlanner {
  mapping(mapping: Mapping, mode: MappingMode): MappingPlan;
  query(query: Expression): QueryPlan;
  /** `template` is either `whole` or a run of its parts. */
  template(whole: Template, template: Template): TemplatePlan;
  /** Returns the functions of the runtime that the options of a component call, by name. */
  links(component: ComponentNode): Inspection["links"];
}

const mappingModes = {
  nothing: "mapping",
  empty: "request",
  message: "mutation",
  origin: "result",
  value: "function",
} as const satisfies Record<MappingField["startsFrom"], MappingMode>;

/** Returns the plan of a configured value. `path` is its path in the document. */
export function planField(field: FieldNode, scripts: ScriptPlanner, path = ""): ValuePlan {
  switch (field.kind) {
    case "Literal":
      return { kind: "Literal", value: field.value };
    case "Duration":
      return { kind: "Literal", value: field.milliseconds };
    case "Environment":
      return planEnvironmentField(field);
    case "Mapping":
      return scripts.mapping(field.mapping, mappingModes[field.startsFrom]);
    case "Query":
      return scripts.query(field.query);
    case "Template":
      return planTemplateField(field, scripts);
    case "Component":
      return planComponent(field.component, `${path}.${field.component.name}`, scripts);
    case "Resource":
      return { kind: "Resource", label: field.label };
    case "List":
      return {
        kind: "List",
        items: field.items.map((item, index) => planField(item, scripts, `${path}[${index}]`)),
      };
    case "Object":
      return planObject(field, scripts, path);
  }
}

/** Marks an address in which a message may choose the server, because the field next to it (`allowed_hosts`) limits the hosts. */
function withOpenHost(value: ValuePlan): ValuePlan {
  if (value.kind !== "JoinedText" || value.encoded === undefined) return value;
  return { ...value, encoded: { ...value.encoded, isHostOpen: true } };
}

/** Returns the plan of an object. */
export function planObject(field: ObjectField, scripts: ScriptPlanner, path = ""): ObjectPlan {
  const isHostOpen = field.fields.some(({ name }) => name === "allowed_hosts");
  const fields = field.fields.map(({ name, value }) => {
    const planned = planField(value, scripts, `${path}.${name}`);
    return { name, value: isHostOpen ? withOpenHost(planned) : planned, defaulted: false };
  });
  return { kind: "Object", fields };
}

/** Plans a text with environment or request variables. An encoded text is planned in parts, like one that messages fill in. */
function planEnvironmentField(field: EnvironmentField): EnvironmentPlan | JoinedTextPlan {
  const { encoded, parts } = field;
  if (encoded === undefined) return planEnvironment(field);
  return planEncoded(parts, encoded, unreachable);
}

/** Plans each part separately, with its origin. */
function planEncoded<P extends TemplateField["parts"][number]>(
  parts: readonly P[],
  encoded: EncodedText,
  planQuery: (part: Extract<P, QueryPart>) => TemplatePlan,
): JoinedTextPlan {
  const planned = parts.map((part): JoinedTextPlan["parts"][number] => {
    if (part.kind === "QueryPart") return planQuery(part as Extract<P, QueryPart>); // narrowed by `kind`
    if (part.kind === "Text") return { kind: "Literal", value: part.text };
    return { kind: "Environment", type: "string", parts: [planEnvironmentPart(part, "string")] };
  });
  return { kind: "JoinedText", parts: planned, encoded: { ...encoded, isHostOpen: false } };
}

/**
 * Plans a template. Adjacent texts and queries stay one template, so that they become one function;
 * parts that are read at startup separate them.
 */
function planTemplateField(field: TemplateField, scripts: ScriptPlanner): TemplatePlan | JoinedTextPlan {
  const { encoded } = field;
  if (encoded !== undefined) {
    return planEncoded(field.parts, encoded, (part) => {
      const text: Template = { ...field.template, parts: [part] };
      return scripts.template(field.template, text);
    });
  }
  const forms = field.limit?.kind === "Form" ? literalForms[field.limit.format] : undefined;
  if (forms !== undefined) return planPattern(field, forms, scripts);
  const beginning = writtenBeginning(field);
  if (
    beginning === undefined &&
    field.parts.every((part) => part.kind === "QueryPart" || part.kind === "Text")
  ) {
    return scripts.template(field.template, field.template);
  }
  const parts: (LiteralPlan | EnvironmentPlan | TemplatePlan)[] = [];
  if (beginning !== undefined) parts.push({ kind: "Literal", value: beginning });
  let run: Template["parts"] = [];
  const endRun = (): void => {
    if (run.length > 0) parts.push(planRun(field.template, run, scripts));
    run = [];
  };
  for (const part of beginning ? field.parts.slice(1) : field.parts) {
    if (part.kind === "QueryPart") run = [...run, part];
    else if (part.kind === "Text") run = [...run, { kind: "TextPart", text: part.text, span: field.span }];
    else {
      endRun();
      const planned = [planEnvironmentPart(part, "string")];
      parts.push({ kind: "Environment", type: "string", parts: planned, ...pieceLimit(field) });
    }
  }
  endRun();
  return { kind: "JoinedText", parts };
}

/** Plans each part on its own: values of messages and requests are literals in a pattern. */
function planPattern(
  field: TemplateField,
  { whole, part: piece }: Literals,
  scripts: ScriptPlanner,
): JoinedTextPlan {
  const given = field.parts.length === 1 ? whole : piece;
  const parts = field.parts.map((part): JoinedTextPlan["parts"][number] => {
    if (part.kind === "Text") return { kind: "Literal", value: part.text };
    if (part.kind === "QueryPart")
      return scripts.template(field.template, { ...field.template, parts: [part] });
    return { kind: "Environment", type: "string", parts: [planEnvironmentPart(part, "string")] };
  });
  return { kind: "JoinedText", parts, given };
}

/**
 * Returns what the runtime treats as the beginning written in the document, if the parts do not show it. Names that a server
 * reserves may begin a text if the document writes them, but not if a message or a request supplies them.
 */
function writtenBeginning({ limit, parts }: TemplateField): string | undefined {
  const [first] = parts;
  if (limit?.kind !== "Form" || first === undefined) return undefined;
  if (first.kind === "Request") return unreservedForms[limit.format] && "";
  return first.kind === "Text" && isReserved(limit.format, first.text) ? first.text : undefined;
}

/** Returns the limit for parts read at startup, if the field's format has a format for its pieces. */
function pieceLimit({ limit }: TemplateField): Pick<EnvironmentPlan, "limit"> {
  const format = limit?.kind === "Form" ? pieceForms[limit.format] : undefined;
  return format === undefined ? {} : { limit: { kind: "Form", format } };
}

function planRun(
  whole: Template,
  run: Template["parts"],
  scripts: ScriptPlanner,
): LiteralPlan | TemplatePlan {
  const [first, ...others] = run;
  if (first?.kind === "TextPart" && others.length === 0) return { kind: "Literal", value: first.text };
  return scripts.template(whole, { ...whole, parts: run });
}

/** Whether the component inspects messages between its processors. */
function isStepwise(descriptor: Component): boolean {
  return descriptor.role === "processor" && descriptor.flow.kind === "try";
}

/** The runtime function for mappings and sequences of mappings. */
export const mappingRuntime: RuntimeLink = mappingProcessor.runtime;

/** Returns the plan of a component at `path` of its document. */
export function planComponent(component: ComponentNode, path: string, scripts: ScriptPlanner): ComponentPlan {
  const { descriptor } = component;
  invariant(descriptor !== undefined, `the ${component.role} \`${component.name}\` has a descriptor`);
  const { schema } = descriptor;
  const written = (component.isImplied ? planImplied : planField)(component.config, scripts, path);
  // A component whose value is a bare script, such as `mapping`, has it as its only option.
  const options: ObjectPlan =
    written.kind === "Object"
      ? withBranchOrder(
          component,
          withWrittenTexts(
            completeOptions(withRequestLiterals(withDefaults(written, schema), schema), schema),
            schema,
          ),
        )
      : { kind: "Object", fields: [{ name: bareOption, value: written, defaulted: false }] };
  return {
    kind: "Component",
    role: component.role,
    name: component.name,
    origin: { span: component.nameSpan, path },
    ...(component.label === undefined ? {} : { label: component.label }),
    descriptor,
    runtime: runtimeOf(descriptor, plannedOptions(options)),
    ...(isStepwise(descriptor) && { isStepwise: true }),
    options: {
      ...options,
      fields: [
        ...options.fields,
        ...planLibrary(component, scripts),
        ...planBeside(component, path, scripts),
      ],
    },
  };
}

/** Plans the implied component with the input and the buffer of a stream. Both keep the paths at which they were written. */
function planImplied(config: FieldNode, scripts: ScriptPlanner, path: string): ValuePlan {
  if (config.kind !== "Object") return planField(config, scripts, path);
  const fields = config.fields.map(({ name, value }) => {
    return { name, value: planField(value, scripts, pathInImplied(path, value)), defaulted: false };
  });
  return { kind: "Object", fields };
}

/** Plans the functions that the options call as an option. */
function planLibrary(component: ComponentNode, scripts: ScriptPlanner): readonly FieldPlan[] {
  const links = component.descriptor?.inspect === undefined ? undefined : scripts.links(component);
  if (links === undefined || Object.keys(links).length === 0) return [];
  return [{ name: "library", value: { kind: "Object", fields: [] }, defaulted: false, library: links }];
}

/** Plans `processors:` next to a component as an option of it. Emission wraps them around the component. */
function planBeside(
  { processors = [] }: ComponentNode,
  path: string,
  scripts: ScriptPlanner,
): readonly FieldPlan[] {
  if (processors.length === 0) return [];
  const holder = path.slice(0, path.lastIndexOf("."));
  const items = processors.map((processor, index) =>
    planComponent(processor, `${holder}.processors[${index}].${processor.name}`, scripts),
  );
  return [{ name: besideOption, value: { kind: "List", items }, defaulted: false }];
}

/** Adds the texts that mappings write out to the options of fields with `x-written-texts`. */
function withWrittenTexts(options: ObjectPlan, { properties = {} }: Schema): ObjectPlan {
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

/** Returns the texts that are the value itself or its elements. Arguments of methods do not count. */
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

/** Plans an environment value. Only a single part has the type of the field; parts of a longer text are texts. */
function planEnvironment({ type, parts, limit, isSplit }: EnvironmentField): EnvironmentPlan {
  const partType = parts.length === 1 ? type : "string";
  const planned = parts.map((part) => planEnvironmentPart(part, partType));
  return {
    kind: "Environment",
    type,
    parts: planned,
    ...(limit === undefined ? {} : { limit }),
    ...(isSplit === undefined ? {} : { isSplit }),
  };
}

/** Plans one part, with its fallback read as `type`. */
function planEnvironmentPart(part: EnvironmentPart, type: EnvironmentField["type"]): EnvironmentPartPlan {
  switch (part.kind) {
    case "Text":
      return part;
    case "File":
      return { kind: "File", path: part.path };
    case "Request":
      return { kind: "Request", name: `${part.source}.${part.name}` };
    case "Variable": {
      const { name, fallback, span } = part;
      return {
        kind: "Variable",
        name,
        span,
        ...(fallback === undefined ? {} : { fallback: readFallback(fallback, type) }),
      };
    }
  }
}

/** Returns the value of a default. The parser ensures that the text is valid for the type of its field. */
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
