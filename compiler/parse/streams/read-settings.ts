// Reads the parts of documents outside streams by their schemas: the gateway part of an API, `gateway.yaml`, and
// `management.yaml`, which contains no components. The document check reports values with the wrong shape.

import { documentSchemas } from "../../../schemas/catalogue.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ObjectField } from "../../trees/api.ts";
import type { MapNode } from "../../trees/document.ts";
import { type ComponentReading, readComponent } from "./components.ts";
import { readObject } from "./fields.ts";

/** Reads the value of `x-gw-api-gateway`. */
export function readGatewayExtension(node: MapNode, reading: ComponentReading): ObjectField {
  const schema = documentSchemas.apiGateway;
  return readWith(node, "x-gw-api-gateway", schema, reading);
}

/** Reads the content of `gateway.yaml`. */
export function readSettings(node: MapNode, reading: ComponentReading): ObjectField {
  const schema = documentSchemas.gateway;
  return readWith(node, "gateway.yaml", schema, reading);
}

function readWith(node: MapNode, name: string, schema: Schema, reading: ComponentReading): ObjectField {
  const { report } = reading;
  return readObject(node, {
    ...{ name, schema, report },
    readComponent: (role, held) => readComponent(role, held, reading),
  });
}

/** Reads the content of `management.yaml`. */
export function readManagement(node: MapNode, report: Report): ObjectField {
  const schema = documentSchemas.management;
  return readObject(node, { name: "management.yaml", schema, report, readComponent: () => undefined });
}
