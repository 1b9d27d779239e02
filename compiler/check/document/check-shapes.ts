// The shape of an API document around its components: `x-gw-streaming` or a bare stream, and
// `x-gw-api-gateway`. The OpenAPI part is not looked at.

import { documentSchemas, extensionAliases } from "../../../schemas/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ApiModel } from "../../model/api.ts";
import { spanOf } from "../../source/source.ts";
import { findEntry, findNode, type MapEntry, type MapNode } from "../../trees/document.ts";
import { checkShape } from "./shape.ts";

/** Checks the extensions of an OpenAPI document, or all of a bare stream document. */
export function checkApiShape(api: ApiModel, report: Report): void {
  const { root, gateway, gatewayFields, streaming, openapi } = api;
  const gatewayEntry = findExtension(root, "x-gw-api-gateway");
  if (gatewayEntry !== undefined && gateway !== undefined) {
    const place = placeOf(gatewayEntry, gateway);
    checkShape({ ...place, schema: documentSchemas.apiGateway }, gatewayFields, report);
  }
  if (openapi === undefined) {
    checkBareStream(api, report);
    return;
  }
  const streamingEntry = findExtension(root, "x-gw-streaming");
  if (streamingEntry === undefined || streaming === undefined) return;
  const place = placeOf(streamingEntry, streaming);
  checkShape({ ...place, schema: documentSchemas.streaming }, undefined, report);
}

/** The key as it stands in the document, the value with its references in place. */
function placeOf({ key, keySpan }: MapEntry, node: MapNode) {
  return { node, name: key, nameSpan: keySpan };
}

/** Extensions (`x-…`) may stand in a bare document too, and are no fields of the stream. */
function checkBareStream({ root, file, streaming }: ApiModel, report: Report): void {
  const stream = findNode(streaming, "streams", "stream") ?? root;
  if (stream.kind !== "map") return;
  const node = { ...stream, entries: stream.entries.filter(({ key }) => !key.startsWith("x-")) };
  const nameSpan = stream.entries[0]?.keySpan ?? spanOf(file, 0, 0);
  checkShape({ node, name: "stream", nameSpan, schema: documentSchemas.stream }, undefined, report);
}

function findExtension(root: MapNode, name: keyof typeof extensionAliases): MapEntry | undefined {
  return findEntry(root, name) ?? findEntry(root, extensionAliases[name]);
}
