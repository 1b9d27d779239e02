// A configured value in, one that lies in it out.

import type { FieldNode, ObjectField } from "../trees/api.ts";

/** The value below `path`; `undefined` where nobody wrote one. */
export function findField(field: FieldNode | undefined, ...path: readonly string[]): FieldNode | undefined {
  let at = field;
  for (const name of path) {
    if (at?.kind !== "Object") return undefined;
    at = at.fields.find((each) => each.name === name)?.value;
  }
  return at;
}

/** The object below `path`. */
export function findObject(
  field: FieldNode | undefined,
  ...path: readonly string[]
): ObjectField | undefined {
  const found = findField(field, ...path);
  return found?.kind === "Object" ? found : undefined;
}

/** Whether a block may apply once the gateway starts: only a written `enabled: false` switches it off for good. */
export function mayBeEnabled(block: ObjectField): boolean {
  const enabled = findField(block, "enabled");
  return !(enabled?.kind === "Literal" && enabled.value === false);
}
