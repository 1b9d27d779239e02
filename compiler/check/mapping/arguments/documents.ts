// Paths and schemas of documents. In come known arguments, out comes why they never work.

import { JSONPathEnvironment, JSONPathError } from "json-p3";
import { findSchemaFault } from "../../schema-texts.ts";
import type { KnownArguments } from "../constant.ts";

/** `.json_path(expression)`: the same library as at run time says so. */
export function checkJsonPath([expression]: KnownArguments): string | undefined {
  if (typeof expression !== "string") return undefined;
  const environment = new JSONPathEnvironment({ strict: false });
  environment.functionRegister.delete("match");
  environment.functionRegister.delete("search");
  try {
    environment.compile(expression);
    return undefined;
  } catch (error) {
    if (error instanceof JSONPathError) return `parsing error: ${expression}: ${error.message}`;
    throw error;
  }
}

/** `.json_schema(schema)`: whether it is a schema that refers to nothing but itself. */
export function checkJsonSchema([schema]: KnownArguments): string | undefined {
  const reason = typeof schema === "string" ? findSchemaFault(schema) : undefined;
  return reason && `failed to parse json schema definition: ${reason}`;
}
