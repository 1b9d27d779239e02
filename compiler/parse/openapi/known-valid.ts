// Whether a document is surely valid, found out faster than the validators say what is wrong: they compile their schemas
// anew for each document. The bundled command line has another module in this place, with the very same judges compiled
// beforehand: `scripts/precompiled-schemas.ts`.

import type { ValidateFunction } from "ajv";
import type { OpenapiVersion } from "./version.ts";

/** The judges of the versions met so far; a version always has the same one. */
const compiled = new Map<OpenapiVersion, ValidateFunction>();

/** True: the validator of that version finds nothing. False: it has to be asked. */
export async function isKnownValid(version: OpenapiVersion, api: unknown): Promise<boolean> {
  const { compileJudge } = await import("./judges.ts");
  const judge = compiled.get(version) ?? compileJudge(version, { optimize: false }).isValid;
  compiled.set(version, judge);
  return judge(api) === true;
}
