import { type Inspected, nothingFound, type Problem, type WrittenOptions } from "../inspection.ts";
import { type GrokExpression, grokCompiler } from "./expression.ts";

/** Why expressions of a `grok` processor are none, and the fields that they capture. */
export function inspectGrok(options: WrittenOptions): Inspected {
  const { expressions, pattern_definitions: written } = options;
  if (!Array.isArray(expressions) || !expressions.every((each) => typeof each === "string"))
    return nothingFound;
  const definitions = typeof written === "object" && written !== null ? written : {};
  // A definition that is known only at the start may be anything.
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

/** Any of the fields may be missing. Those with dots in their names are in objects that are not described. */
function schemaOf({ fields }: GrokExpression): Inspected["produces"] {
  const rows = [...fields].map(([name, type]) => {
    const [key = "", inner] = name.split(".");
    return [key, inner === undefined ? { type } : true] as const;
  });
  return { type: "object", properties: Object.fromEntries(rows), additionalProperties: false };
}
