// Whether a document is surely valid, found out faster than the validators say what is wrong. From sources
// nothing is known; the bundled command line has another module in this place, with the very schemas of the
// validators compiled beforehand: `scripts/precompiled-schemas.ts`.

import type { OpenapiVersion } from "./version.ts";

/** True: the validator of that version finds nothing. False: it has to be asked. */
export async function isKnownValid(_version: OpenapiVersion, _api: unknown): Promise<boolean> {
  return false;
}
