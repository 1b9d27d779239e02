// `grok`: converts texts to objects with the first expression that captures anything.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import type { Value } from "../../message/value.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { converting } from "../formats/converting.ts";
import { type GrokOptions, grokDefaults } from "../generated/grok-options.ts";
import { type GrokExpression, grokCompiler, objectOf } from "./expression.ts";

/** Replaces each message by what an expression captures from it. */
export function grok(options: GrokOptions): Processor {
  const { expressions, remove_empty_values: removesEmpty, ...patterns } = { ...grokDefaults, ...options };
  const compile = grokCompiler({
    definitions: patterns.pattern_definitions ?? {},
    usesStandard: patterns.use_default_patterns,
    namedOnly: patterns.named_captures_only,
  });
  // The expressions were validated when the gateway was built.
  const compiled = expressions.map(compile);
  return converting("grok", (message) => {
    const text = decodeUtf8(message.bytes());
    for (const expression of compiled) {
      const values = captured(expression, text, removesEmpty);
      if (values.length > 0) return message.withDocument(objectOf(values));
    }
    throw new MappingError("no pattern matches found");
  });
}

/** Returns what an expression captures. A value that must be a number but is not counts as no match. */
function captured(
  expression: GrokExpression,
  text: string,
  removesEmpty: boolean,
): readonly (readonly [string, Value])[] {
  try {
    return expression.match(text, removesEmpty) ?? [];
  } catch (error) {
    if (error instanceof MappingError) return [];
    throw error;
  }
}
