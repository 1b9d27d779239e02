// A `management.yaml` and what was read of it to what is wrong with its values.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ObjectField } from "../../parse/document/api.ts";
import type { MapNode } from "../../parse/document/tree.ts";
import { type SourceFile, spanOf } from "../../source/source.ts";
import { checkValues } from "./check-values.ts";
import { checkShape } from "./shape.ts";

/** Checks `management.yaml` by its schema, and each of its values. */
export function checkManagement(
  { file, root, fields }: { readonly file: SourceFile; readonly root: MapNode; readonly fields: ObjectField },
  report: Report,
): void {
  const schema = documentSchemas.management;
  const place = { node: root, name: "management.yaml", nameSpan: spanOf(file, 0, 0), schema };
  checkShape(place, fields, report);
  checkValues({ ...place, value: fields }, report);
}
