import { annotations } from "./schema.ts";

/** The formats our schemas name. */
export const formats = { regex: isRegularExpression };

/** How our schemas are compiled, by the checker as by whatever compiles them before it runs. */
export const ajvOptions = {
  allErrors: true,
  // Mistakes then carry the schema that was not met, which says what would have been right.
  verbose: true,
  allowUnionTypes: true,
  keywords: [...annotations],
  formats,
};

function isRegularExpression(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
