// Comparisons of escaped text with a literal that no escaped text can be: `name.escape_html() == "Tom & Jerry"`.

import type { Report } from "../../diagnostics/sink.ts";
import type { Binary, Expression } from "../../trees/mapping.ts";

/** What cannot stand in the result of a method, by its name. */
const replaced: Readonly<Record<string, RegExp>> = {
  escape_html: /[<>'"]|&(?!(?:amp|lt|gt|#39|#34);)/,
  escape_url_query: /[^A-Za-z0-9\-_.~+%]/,
  escape_url_path: /[\s/?#"<>,;]/,
};

/** Reports a literal with a character that the other side never has. */
export function checkEscapedComparison({ operator, left, right }: Binary, report: Report): void {
  if (operator !== "==" && operator !== "!=") return;
  compare(left, right, operator, report);
  compare(right, left, operator, report);
}

function compare(escaped: Expression, literal: Expression, operator: "==" | "!=", report: Report): void {
  if (escaped.kind !== "MethodCall" || literal.kind !== "StringLiteral") return;
  const method = escaped.name.text;
  const character = Object.hasOwn(replaced, method) ? replaced[method]?.exec(literal.value)?.[0] : undefined;
  if (character === undefined) return;
  const shown = character === "\n" ? "\\n" : character;
  report("GW4091", literal.span, {
    method,
    character: shown,
    outcome: operator === "==" ? "never" : "always",
  });
}
