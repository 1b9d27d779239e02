import { type Inspected, nothingFound, type Problem, type WrittenOptions } from "../inspection.ts";
import { type GrokExpression, grokCompiler } from "./expression.ts";

/** Returns the problems in the expressions of a `grok` processor, and the fields that they capture. */
export function inspectGrok(options: WrittenOptions): Inspected {
  const { expressions, pattern_definitions: written } = options;
  if (!Array.isArray(expressions) || !expressions.every((each) => typeof each === "string"))
    return nothingFound;
  const definitions = typeof written === "object" && written !== null ? written : {};
  // A definition that is only known at the start may be anything.
  if (!Object.values(definitions).every((each) => typeof each === "string")) return nothingFound;
  const compile = grokCompiler({
    definitions: Object.fromEntries(Object.entries(definitions)),
    usesStandard: options.use_default_patterns !== false,
    namedOnly: options.named_captures_only !== false,
  });
  const problems: Problem[] = [];
  const compiled: GrokExpression[] = [];
  for (const expression of expressions) {
    try {
      compiled.push(compile(expression));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problems.push({
        field: "expressions",
        message: error.message,
        hint: "Define the pattern in `pattern_definitions`, or correct the expression.",
      });
    }
  }
  if (problems.length > 0) return { problems };
  return { problems, produces: { anyOf: compiled.map(schemaOf) } };
}

/**
 * Returns the schema of the captured fields. All of them are optional. Nested objects of names with dots are not
 * described.
 */
function schemaOf({ fields }: GrokExpression): Inspected["produces"] {
  const rows = [...fields].map(([name, type]) => {
    const [key = "", inner] = name.split(".");
    return [key, inner === undefined ? { type } : true] as const;
  });
  return { type: "object", properties: Object.fromEntries(rows), additionalProperties: false };
}
