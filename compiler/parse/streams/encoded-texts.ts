// A text in which values are encoded by where they stand, to what is known of each of its parts.

import type { Encoding } from "../../../schemas/schema.ts";
import type { EncodedText, EnvironmentPart, ValueOrigin } from "../../trees/api.ts";
import type { QueryPart } from "../../trees/mapping.ts";
import { originOf } from "../mapping/value-origin.ts";

type Part = EnvironmentPart | QueryPart;

/** `undefined` where nothing is encoded: the text is of another kind, or nothing in it comes from elsewhere. */
export function readEncodedText(
  parts: readonly Part[],
  encoding: Encoding | undefined,
): EncodedText | undefined {
  if (encoding === undefined) return undefined;
  const origins = parts.map(originOfPart);
  return origins.every((origin) => origin === "fixed") ? undefined : { as: encoding, origins };
}

/** The whole query of a request is one already, but only where it stands in one. */
function originOfPart(part: Part, index: number, parts: readonly Part[]): ValueOrigin {
  if (part.kind === "QueryPart") return originOf(part.query);
  if (part.kind !== "Request") return "fixed";
  if (part.source === "context" && part.name === "path") return "requestPath";
  const isInQuery = parts.slice(0, index).some((each) => each.kind === "Text" && each.text.includes("?"));
  return part.source === "context" && part.name === "request_data" && isInQuery ? "queryEscaped" : "value";
}
