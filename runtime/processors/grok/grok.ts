// `grok`: texts as objects, by the first of some expressions that captures anything.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import type { Value } from "../../message/value.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { converting } from "../formats/converting.ts";
import { type GrokOptions, grokDefaults } from "../generated/grok-options.ts";
import { type GrokExpression, grokCompiler, objectOf } from "./expression.ts";

/** Replaces each message by what an expression captures of it. */
export function grok(options: GrokOptions): Processor {
  const { expressions, remove_empty_values: removesEmpty, ...patterns } = { ...grokDefaults, ...options };
  const compile = grokCompiler({
    definitions: patterns.pattern_definitions ?? {},
    usesStandard: patterns.use_default_patterns,
    namedOnly: patterns.named_captures_only,
  });
  // Known to be expressions since the gateway was built.
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

/** A value that is not a number where it has to be is as good as no match. */
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
