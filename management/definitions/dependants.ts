// Finds the APIs that depend on another API: those that would not be valid without it.

import { GatewayError } from "../../runtime/errors.ts";
import { readTexts, type SetMember } from "./apis.ts";
import { type Building, checkDefinition } from "./check.ts";

/**
 * Returns the APIs that are valid with the API `id` and not valid without it, such as one that lists it among its
 * versions. Ignores APIs that already are not valid, and dependencies that do not appear in the text.
 */
export async function dependantsOf(
  building: Building,
  id: string,
  members: readonly SetMember[],
): Promise<readonly SetMember[]> {
  const owner = members.find((each) => each.id === id)?.org_id;
  // APIs of other organisations cannot refer to it.
  const others = members.filter((each) => each.id !== id && each.org_id === owner);
  const texts = await readTexts(
    building.store,
    others.map((each) => each.id),
  );
  const found: SetMember[] = [];
  for (const other of others) {
    const text = texts.get(other.id);
    if (text === undefined || !text.includes(id)) continue;
    const isRightBeside = (set: readonly SetMember[]) =>
      isRight(
        building,
        { ...other, text },
        set.filter((each) => each.id !== other.id),
      );
    if (!(await isRightBeside(others)) && (await isRightBeside(members))) found.push(other);
  }
  return found;
}

async function isRight(
  building: Building,
  { id, text, format, org_id: organisation }: SetMember & { readonly text: string },
  others: readonly SetMember[],
): Promise<boolean> {
  try {
    await checkDefinition(building, id, { text, format, organisation }, others);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.status < 500) return false;
    throw error;
  }
}
