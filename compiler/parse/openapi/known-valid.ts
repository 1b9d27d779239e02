// Determines whether a document is certainly valid, faster than the validators, which compile their schemas for each
// document. The bundled command line replaces this module by one with the same judges compiled in advance:
// `scripts/precompiled-schemas.ts`.

import type { ValidateFunction } from "ajv";
import type { OpenapiVersion } from "./version.ts";

/** The judges of the versions used so far; a version always has the same judge. */
const compiled = new Map<OpenapiVersion, ValidateFunction>();

/** Returns true if the validator of that version would find nothing. If false, call the validator. */
export async function isKnownValid(version: OpenapiVersion, api: unknown): Promise<boolean> {
  const { compileJudge } = await import("./judges.ts");
  const judge = compiled.get(version) ?? compileJudge(version, { optimize: false }).isValid;
  compiled.set(version, judge);
  return judge(api) === true;
}
