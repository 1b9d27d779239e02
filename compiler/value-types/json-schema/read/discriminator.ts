// OpenAPI's `discriminator`: which value of a field goes with which alternative.

import { unionOf } from "../../union.ts";
import { objectsOnly, type Reading } from "./reading.ts";
import { type SchemaNode, textOf } from "./schema-node.ts";

/**
 * What the discriminator of `schema` says of one of its alternatives; `undefined` where it says nothing. Without
 * an entry in `mapping` nothing is: documents differ in whether the schema's name is then meant to the letter.
 */
export function readDiscriminator(schema: SchemaNode, alternative: SchemaNode): Reading | undefined {
  const discriminator = schema.get("discriminator");
  const name = discriminator && textOf(discriminator, "propertyName");
  const reference = textOf(alternative, "$ref");
  if (name === undefined || reference === undefined) return undefined;
  const schemaName = lastPart(reference);
  const keys = (discriminator?.get("mapping")?.entries() ?? [])
    .filter(({ node }) => node.kind === "scalar" && (node.value === reference || node.value === schemaName))
    .map((entry) => entry.name);
  if (keys.length === 0) return undefined;
  // The name of the schema remains allowed beside the names mapped to it.
  const values = [...keys, schemaName].map((value) => ({ kind: "String", value }) as const);
  const field = { type: unionOf(values), required: false };
  return objectsOnly({ kind: "Object", fields: new Map([[name, field]]), rest: { kind: "Unknown" } });
}

/** The name that a reference ends in, by which people know the schema. */
export function lastPart(reference: string): string {
  const whole = reference.endsWith("/") ? reference.slice(0, -1) : reference;
  const name = whole.slice(Math.max(whole.lastIndexOf("/"), whole.lastIndexOf("#")) + 1);
  return name === "" ? "schema" : name.replaceAll("~1", "/").replaceAll("~0", "~");
}
