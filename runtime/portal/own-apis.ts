// Which APIs the records of an organisation may name: its own, and those that are not there yet.

import { refusal } from "../rest/answers.ts";
import type { Services } from "./operation.ts";

/** Throws a 422 for the first of `apis` that belongs to another organisation. */
export function refuseForeignApis(
  { ownerOf }: Pick<Services, "ownerOf">,
  organisation: string,
  { kind, field, apis }: { readonly kind: string; readonly field: string; readonly apis: readonly string[] },
): void {
  const foreign = apis.find((api) => (ownerOf(api) ?? organisation) !== organisation);
  if (foreign === undefined) return;
  const wrong = `${field}: \`${foreign}\` is not an API of the organisation`;
  throw refusal(422, `${kind} object validation failed.`, [wrong]);
}
