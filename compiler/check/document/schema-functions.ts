// Returns the function that validates values by a schema. The bundled command line replaces this module by one with all
// functions compiled in advance: `scripts/precompiled-schemas.ts`.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { ajvOptions } from "../../../schemas/ajv-options.ts";
import type { Schema } from "../../../schemas/schema.ts";

/** The optimisation of the code costs more time than it saves: a process validates few values. */
const ajv = /* @__PURE__ */ new Ajv2020({ ...ajvOptions, code: { optimize: false } });

/** Compiled schemas; a schema always compiles to the same function. */
const compiled = new WeakMap<Schema, ValidateFunction>();

/** Returns the function that validates values by `schema`, a schema of `schemas/catalogue.ts`. */
export function functionOf(schema: Schema): ValidateFunction {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  return check;
}
