// Reads `rules` of `gateway.yaml`, which changes the levels of diagnostics by code.

import { catalogue, codeNames, type DiagnosticCode, findCode } from "../../diagnostics/catalogue.ts";
import { type DiagnosticEntry, isAdjustable } from "../../diagnostics/diagnostic.ts";
import type { Level } from "../../diagnostics/levels.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { SetModel } from "../../model/set.ts";
import type { NamedField } from "../../trees/fields.ts";
import { literalText } from "../../trees/fields.ts";

const levels: readonly string[] = ["error", "warning", "info", "off"] satisfies readonly Level[];

/** Returns the levels that a set requests. Levels that cannot be applied are reported and left out. */
export function readLevels({ process }: SetModel, report: Report): ReadonlyMap<DiagnosticCode, Level> {
  const rules = process.levels?.field;
  const found = new Map<DiagnosticCode, { readonly level: Level; readonly rule: NamedField }>();
  for (const rule of rules?.kind === "Object" ? rules.fields : []) {
    const code = findAdjustable(rule, report);
    const level = levelOf(rule);
    if (code === undefined || level === undefined) continue;
    const first = found.get(code);
    if (first === undefined) found.set(code, { level, rule });
    else {
      const related = { span: first.rule.nameSpan, message: "The other one is here." };
      report("GW4116", rule.nameSpan, { name: rule.name, other: first.rule.name }, related);
    }
  }
  return new Map([...found].map(([code, { level }]) => [code, level]));
}

/** `undefined` for other values: the schema check reports them. */
function levelOf({ value }: NamedField): Level | undefined {
  const text = literalText(value);
  return text !== undefined && levels.includes(text) ? (text as Level) : undefined;
}

/** Returns the code or name that was meant. Digits tell codes apart, so that only letters like digits are mistakes in them. */
function closestName(name: string): string | undefined {
  const code = name
    .trim()
    .toUpperCase()
    .replace(/^GW[-_ ]?/, "")
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1");
  if (/^\d+$/.test(code)) return findCode(`GW${code}`);
  return suggest(
    name,
    codeNames().filter((each) => findCode(each) !== each),
  );
}

function findAdjustable(rule: NamedField, report: Report): DiagnosticCode | undefined {
  const { name, nameSpan } = rule;
  const code = findCode(name);
  if (code === undefined) {
    report("GW4110", nameSpan, { name, closest: closestName(name) });
    return undefined;
  }
  const entry: Pick<DiagnosticEntry<never>, "adjustable" | "severity"> = catalogue[code];
  const level = levelOf(rule);
  if (isAdjustable(entry) || level === undefined || level === entry.severity) return code;
  report("GW4111", nameSpan, { name, level });
  return undefined;
}
