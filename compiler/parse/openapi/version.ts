// Reads the OpenAPI version that a document declares.

import type { Report } from "../../diagnostics/sink.ts";
import type { ApiDocument } from "../../trees/api.ts";
import { describeNode, findEntry, type MapNode } from "../../trees/document.ts";
/** A supported version. */
export type OpenapiVersion = NonNullable<ApiDocument["openapi"]>;

/** Returns the version; `unsupported` after a report, `none` if the document declares no version. */
export function readVersion(root: MapNode, report: Report): OpenapiVersion | "unsupported" | "none" {
  const swagger = findEntry(root, "swagger");
  const entry = findEntry(root, "openapi");
  if (entry === undefined && swagger === undefined) return "none";
  if (entry === undefined) {
    const version = swagger?.value.kind === "scalar" ? String(swagger.value.value) : "2.0";
    report("GW1041", swagger?.keySpan ?? root.span, { version });
    return "unsupported";
  }
  const { value } = entry;
  if (value.kind !== "scalar" || typeof value.value !== "string") {
    const version = value.kind === "scalar" && value.value !== null ? value.text.text : describeNode(value);
    report("GW1042", value.kind === "scalar" ? value.span : entry.keySpan, { version, isText: false });
    return "unsupported";
  }
  const minor = /^(3\.[012])(?:\.\d+(?:-[\w.]+)?)?$/.exec(value.value)?.[1];
  if (minor === "3.0" || minor === "3.1" || minor === "3.2") return minor;
  report("GW1042", value.span, { version: value.value, isText: true });
  return "unsupported";
}
