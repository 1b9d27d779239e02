// Reads the template files that a set names: the fields of each template, and its mapping as a function of this
// process. Mistakes are reported in the file, and its template is left out.

import type { MappingRun } from "../../runtime/mapping/run.ts";
import type { Value } from "../../runtime/message/value.ts";
import { documentSchemas } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import { mentionsEnvironment } from "../../schemas/environment-reference.ts";
import type { Schema } from "../../schemas/schema.ts";
import { checkShape } from "../check/document/shape.ts";
import { checkMapping } from "../check/mapping/check.ts";
import { type Report, watchReports } from "../diagnostics/sink.ts";
import { emitMapping } from "../emit/mapping/mapping.ts";
import { evaluateCode } from "../evaluate/evaluate-code.ts";
import { evaluator } from "../evaluate/evaluate-method.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { optionsNamed } from "../model/options.ts";
import { type DeclaredTemplateField, readWrittenTemplate } from "../model/unit-tests.ts";
import { nameOf } from "../parse/document/paths.ts";
import { type FieldPlace, readObject } from "../parse/streams/fields.ts";
import { planMapping } from "../plan/mapping/plan-mapping.ts";
import { spanOf } from "../source/source.ts";
import type { LoadedDocument, ObjectField } from "../trees/api.ts";
import type { ComponentTemplate, Dialect } from "../trees/dialect.ts";
import {
  type DocumentNode,
  findEntry,
  type Json,
  type MapEntry,
  type MapNode,
  toJson,
} from "../trees/document.ts";
import type { Mapping } from "../trees/mapping.ts";

/** Returns the values of all fields of a template that is used at `use`; `undefined` after reporting an invalid one. */
type ReadFields = (use: MapEntry, report: Report) => Json | undefined;

/** Returns a reader of the fields that the list `fields` of a template declares. */
function createFieldsReader(declared: readonly DeclaredTemplateField[]): ReadFields {
  const schema = schemaOf(declared);
  return ({ key, keySpan, value }, report) => {
    const isEmpty = value.kind === "scalar" && (value.value === null || value.value === "");
    const node: DocumentNode = isEmpty ? { kind: "map", entries: [], span: keySpan } : value;
    const watched = watchReports(report);
    const place = { node, name: key, nameSpan: keySpan, schema };
    const known = node.kind === "map" ? withEnvironment(node, declared) : undefined;
    const reading = { ...place, report: watched.report, readComponent: () => undefined };
    checkShape(place, known && readObject(known, reading), watched.report);
    if (watched.hasErrors() || node.kind !== "map") return undefined;
    return Object.fromEntries(
      declared.map((field) => [field.name, givenValue(field, findEntry(node, field.name))]),
    );
  };
}

/**
 * Returns the numbers and booleans that come from the environment and have no value yet. Texts are kept as they are.
 */
function withEnvironment(node: MapNode, fields: readonly DeclaredTemplateField[]): MapNode {
  const isGiven = ({ key, value }: MapEntry) =>
    value.kind === "scalar" &&
    mentionsEnvironment(value.text.text) &&
    fields.some(({ name, type }) => name === key && type !== "string" && type !== "unknown");
  return { ...node, entries: node.entries.filter(isGiven) };
}

/** The accepted values: a number is accepted as a text, because the reference engine converts it. */
const types: Readonly<Record<string, Schema>> = {
  string: { type: ["string", "number", "boolean"] },
  int: { type: "integer" },
  float: { type: "number" },
  bool: { type: "boolean" },
};

function schemaOf(fields: readonly DeclaredTemplateField[]): Schema {
  const properties = fields.map(({ name, type, kind }): [string, Schema] => {
    const single = types[type] ?? {};
    if (kind === "list") return [name, { type: "array", items: single }];
    return [name, kind === "map" ? { type: "object", additionalProperties: single } : single];
  });
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    required: fields.flatMap(({ name, fallback }) => (fallback === undefined ? [name] : [])),
  };
}

function givenValue({ type, fallback }: DeclaredTemplateField, written: MapEntry | undefined): Json {
  if (written === undefined) return fallback ?? null;
  return type === "string" ? textsOf(written.value) : toJson(written.value);
}

/** Returns numbers and booleans as text, as they are written. */
function textsOf(node: DocumentNode): Json {
  if (node.kind === "list") return node.items.map(textsOf);
  if (node.kind === "map")
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, textsOf(value)]));
  if (typeof node.value === "string" || node.value === null) return node.value;
  return node.span.source.text.slice(node.span.start, node.span.end);
}

/** Returns the templates of `files`; of two with one name in a role, the first is kept. */
export function readTemplates(
  files: readonly LoadedDocument[],
  dialect: Dialect,
  report: Report,
): readonly ComponentTemplate[] {
  const taken: ComponentTemplate[] = [];
  for (const file of files) {
    const template = readTemplate(file, dialect, report);
    if (template === undefined) continue;
    const { role, name, nameSpan } = template;
    const other = taken.find((each) => each.role === role && each.name === name);
    const related = other && { span: other.nameSpan, message: "The other one is here." };
    const isKnown = dialect.components.find(role, name) !== undefined;
    if (isKnown || other !== undefined) report("GW4420", nameSpan, { role, name, isKnown }, related);
    else taken.push(template);
  }
  return taken;
}

const templateOptions = optionsNamed(["mapping", "type"]);

/** Returns the template of one file; `undefined` after reporting mistakes in it. */
export function readTemplate(
  { file, root }: Pick<LoadedDocument, "file" | "root">,
  dialect: Dialect,
  report: Report,
): ComponentTemplate | undefined {
  const watched = watchReports(report);
  const schema = documentSchemas.template;
  const place = { node: root, name: nameOf(file.path), nameSpan: spanOf(file, 0, 0), schema };
  const fields = root.kind === "map" ? readKnown(root, { ...place, report: watched.report }) : undefined;
  checkShape(place, fields, watched.report);
  const { mapping, type } = templateOptions({ value: fields, schema }) ?? {};
  const { name, fields: declared } = readWrittenTemplate(root);
  const [script, role] = [mapping?.mapping?.mapping, type?.text];
  if (watched.hasErrors() || script === undefined || role === undefined || name === undefined)
    return undefined;
  const renderFields = createRenderer(script, dialect, report);
  if (renderFields === undefined) return undefined;
  const readFields = createFieldsReader(declared);
  return {
    // The schema has validated both.
    role: role as ComponentRole,
    name: String(name.kind === "scalar" ? name.value : ""),
    nameSpan: name.span,
    render: (use, report) => {
      const values = readFields(use, report);
      if (values === undefined) return undefined;
      const made = renderFields(values);
      if ("json" in made) return made.json;
      report("GW4421", use.keySpan, { name: use.key, reason: made.reason });
      return undefined;
    },
  };
}

/**
 * Reads the fields that determine the template. Others may contain any text, which is not interpolated:
 * `${! json("id") }`.
 */
function readKnown(root: MapNode, place: Omit<FieldPlace, "readComponent">): ObjectField {
  const entries = root.entries.filter(({ key }) => key === "mapping" || key === "type");
  return readObject({ ...root, entries }, { ...place, readComponent: () => undefined });
}

/** Returns JSON, or the reason why there is none. */
type RenderFields = (fields: Json) => { readonly json: string } | { readonly reason: string };

/** Returns the function of a mapping, compiled at the first call; `undefined` after reporting mistakes in it. */
function createRenderer(mapping: Mapping, { builtins }: Dialect, report: Report): RenderFields | undefined {
  const watched = watchReports(report);
  // The texts of this mapping become fields of components, in which `${! … }` is replaced.
  const reportInFields: Report = (code, ...rest) => {
    if (code !== "GW4028") watched.report(code, ...rest);
  };
  const checked = checkMapping(mapping, { builtins, evaluate: evaluator }, reportInFields);
  if (watched.hasErrors()) return undefined;
  let run: ((run: MappingRun) => Value) | undefined;
  return (fields) => {
    // The emitter creates a function of this type.
    run ??= evaluateCode(
      emitMapping(planMapping(checked), "template", { entry: "run" }),
      "template",
    ) as typeof run;
    const { Message } = loadRuntime("runtime/message/message.ts");
    const { MappingRun } = loadRuntime("runtime/mapping/run.ts");
    const { languageFailure } = loadRuntime("runtime/mapping/failures.ts");
    const { isObject } = loadRuntime("runtime/message/value.ts");
    const { printJson } = loadRuntime("runtime/message/json.ts");
    try {
      const made = run?.(new MappingRun([Message.fromText(JSON.stringify(fields))], 0)) ?? null;
      if (!isObject(made)) return { reason: "it makes no object" };
      return { json: printJson(made) };
    } catch (error) {
      const failure = languageFailure(error);
      if (failure === undefined) throw error;
      return { reason: failure.message };
    }
  };
}
