// Results of conversions to timestamps, and which calls on timestamps can fail.

import { never, type Type, timestamp } from "../../value-types/type.ts";
import type { CallTypes } from "../builtin.ts";
import { canBe, isOnly } from "./members.ts";

/** A timestamp; none where the target can be none and no default is given. */
export function asTimestamp({ target, args: [fallback] }: CallTypes): Type {
  const possible = canBe(target, "Timestamp", "Integer", "Float", "String", "Bytes");
  return possible || fallback !== undefined ? timestamp : never;
}

/**
 * A text can be no time and a number no year, and a zone or format may not exist. Of literals that is said
 * while compiling.
 */
export function unlessTimestamp({ target, args }: CallTypes): boolean {
  const settled = args.every(
    (type) => type === undefined || isLiteralText(type) || isOnly(type, "Timestamp", "Integer", "Float"),
  );
  return !(settled && isOnly(target, "Timestamp"));
}

/** The target may be no timestamp, and neither the default, which comes first. */
export function unlessTimestampOrDefault({ target, args: [fallback] }: CallTypes): boolean {
  if (fallback === undefined) return !isOnly(target, "Timestamp");
  return !isOnly(fallback, "Timestamp");
}

function isLiteralText(type: Type): boolean {
  return type.kind === "String" && type.value !== undefined;
}
