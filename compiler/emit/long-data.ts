// Emits long lists of data, such as the keys of a gateway, as JSON.

import type { ListPlan, ValuePlan } from "../plan/plan.ts";
import { type Code, call, fragment, hardBreak, indent, join, raw, templateText } from "./code.ts";

/**
 * The number of items from which a list is written as JSON. Of a literal, V8 keeps constants of each object beside its
 * value, and has the syntax tree of all objects when it compiles the function.
 */
const long = 1_000;

/** Returns ``JSON.parse(`[…]`)``, with an item in each line; `undefined` if the list is short, or more than data. */
export function emitLongData({ items }: ListPlan, spellsDefaults: boolean): Code | undefined {
  if (items.length < long) return undefined;
  const rows: Code[] = [];
  for (const item of items) {
    const text = jsonOf(item, spellsDefaults);
    if (text === undefined) return undefined;
    rows.push(templateText(text));
  }
  const lines = join(rows, fragment([",", hardBreak]));
  return call(raw("JSON.parse"), [
    join([raw("`["), indent(fragment([hardBreak]), lines), fragment([hardBreak]), raw("]`")]),
  ]);
}

/** Returns a value as JSON; `undefined` if JSON cannot represent it, or if it is made when the gateway starts. */
function jsonOf(value: ValuePlan, spellsDefaults: boolean): string | undefined {
  switch (value.kind) {
    case "Literal":
      return isJson(value.value) ? JSON.stringify(value.value) : undefined;
    case "List":
      return enclosed(
        "[",
        value.items.map((item) => jsonOf(item, spellsDefaults)),
        "]",
      );
    case "Object": {
      const written = value.fields.filter(({ defaulted }) => spellsDefaults || !defaulted);
      return enclosed(
        "{",
        written.map(({ name, value: inner, maker, brings, library, writtenTexts }) => {
          if ((maker ?? brings ?? library ?? writtenTexts) !== undefined) return undefined;
          const text = jsonOf(inner, spellsDefaults);
          return text && `${JSON.stringify(name)}:${text}`;
        }),
        "}",
      );
    }
    default:
      return undefined;
  }
}

function isJson(value: null | boolean | number | bigint | string): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value !== "bigint";
}

function enclosed(open: string, parts: readonly (string | undefined)[], close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join()}${close}`;
}
