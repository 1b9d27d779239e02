import { annotations } from "./schema.ts";

/** The formats that the schemas use. */
export const formats = { regex: isRegularExpression };

/** The options for compiling schemas, both in the checker and ahead of time. */
export const ajvOptions = {
  allErrors: true,
  // Its warnings are about style, and a command would print them among its own output.
  logger: false as const,
  // Errors then contain the violated schema, which states the expected value.
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
