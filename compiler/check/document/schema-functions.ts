// A schema of ours in, the function that judges values by it out. The bundled command line has another
// module in this place, with all functions compiled beforehand: `scripts/precompiled-schemas.ts`.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { ajvOptions } from "../../../schemas/ajv-options.ts";
import type { Schema } from "../../../schemas/schema.ts";

/** Optimised code is faster by less than it costs: a process judges few values. */
const ajv = /* @__PURE__ */ new Ajv2020({ ...ajvOptions, code: { optimize: false } });

/** Compiled schemas; a schema always compiles to the same function. */
const compiled = new WeakMap<Schema, ValidateFunction>();

/** The function that judges values by `schema`, a schema of `schemas/catalogue.ts`. */
export function functionOf(schema: Schema): ValidateFunction {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  return check;
}
