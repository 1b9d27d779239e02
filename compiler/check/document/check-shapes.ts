// The shape of an API document around its components: `x-gw-streaming` or a bare stream, and
// `x-gw-api-gateway`. The OpenAPI part is not looked at.

import { documentSchemas, extensionAliases } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ApiDocument } from "../../parse/document/api.ts";
import type { MapEntry, MapNode } from "../../parse/document/tree.ts";
import { spanOf } from "../../source/source.ts";
import { checkShape } from "./shape.ts";

/** Checks the extensions of an OpenAPI document, or all of a bare stream document. */
export function checkApiShape(api: ApiDocument, report: Report): void {
  const gateway = findExtension(api.root, "x-gw-api-gateway");
  if (gateway !== undefined) {
    checkShape(placeOf(gateway, documentSchemas.apiGateway), api.gatewayFields, report);
  }
  if (api.openapi === undefined) {
    checkBareStream(api, report);
    return;
  }
  const streaming = findExtension(api.root, "x-gw-streaming");
  if (streaming !== undefined) checkShape(placeOf(streaming, documentSchemas.streaming), undefined, report);
}

function placeOf(entry: MapEntry, schema: (typeof documentSchemas)["stream"]) {
  return { node: entry.value, name: entry.key, nameSpan: entry.keySpan, schema };
}

/** Extensions (`x-…`) may stand in a bare document too, and are no fields of the stream. */
function checkBareStream({ root, file }: ApiDocument, report: Report): void {
  const entries = root.entries.filter(({ key }) => !key.startsWith("x-"));
  const node: MapNode = { ...root, entries };
  const nameSpan = spanOf(file, 0, 0);
  checkShape({ node, name: "stream", nameSpan, schema: documentSchemas.stream }, undefined, report);
}

function findExtension(root: MapNode, name: keyof typeof extensionAliases): MapEntry | undefined {
  const spellings: readonly string[] = [name, extensionAliases[name]];
  return root.entries.find(({ key }) => spellings.includes(key));
}
