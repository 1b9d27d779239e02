// The files of templates that a set names, to the templates that its documents may use. What is wrong with a file is reported
// in it, and its template left out.

import { documentSchemas } from "../../schemas/catalogue.ts";
import type { Role } from "../../schemas/component.ts";
import { checkShape } from "../check/document/shape.ts";
import { type Report, watchErrors } from "../diagnostics/sink.ts";
import { nameOf } from "../parse/document/paths.ts";
import { type FieldPlace, readObject } from "../parse/streams/fields.ts";
import { spanOf } from "../source/source.ts";
import type { LoadedDocument, ObjectField } from "../trees/api.ts";
import type { ComponentTemplate, Dialect } from "../trees/dialect.ts";
import { findEntry, findNode, type MapNode } from "../trees/document.ts";
import { findField } from "../trees/fields.ts";
import { createRenderer } from "./render.ts";
import { createFieldsReader } from "./template-fields.ts";

/** The templates of `files`; of two with one name in a role the first stays. */
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

/** The template of one file; `undefined` after a report of mistakes in it. */
export function readTemplate(
  { file, root }: Pick<LoadedDocument, "file" | "root">,
  dialect: Dialect,
  report: Report,
): ComponentTemplate | undefined {
  const watched = watchErrors(report);
  const schema = documentSchemas.template;
  const place = { node: root, name: nameOf(file.path), nameSpan: spanOf(file, 0, 0), schema };
  const fields = root.kind === "map" ? readKnown(root, { ...place, report: watched.report }) : undefined;
  checkShape(place, fields, watched.report);
  const mapping = findField(fields, "mapping");
  const name = findEntry(root, "name");
  const type = findField(fields, "type");
  if (watched.hasErrors() || mapping?.kind !== "Mapping" || type?.kind !== "Literal" || name === undefined)
    return undefined;
  const renderFields = createRenderer(mapping.mapping, dialect, report);
  if (renderFields === undefined) return undefined;
  const readFields = createFieldsReader(findNode(root, "fields"));
  return {
    // The schema has validated both.
    role: type.value as Role,
    name: String(name.value.kind === "scalar" ? name.value.value : ""),
    nameSpan: name.value.span,
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

/** The fields that decide what is made. Others may hold any text, which is nothing here: `${! json("id") }`. */
function readKnown(root: MapNode, place: Omit<FieldPlace, "readComponent">): ObjectField {
  const entries = root.entries.filter(({ key }) => key === "mapping" || key === "type");
  return readObject({ ...root, entries }, { ...place, readComponent: () => undefined });
}
