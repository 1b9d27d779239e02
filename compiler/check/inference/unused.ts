// Reports variables and maps that are never read.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { Let, MapDefinition, MappingNode, Statement } from "../../trees/mapping.ts";
import { walk } from "../../trees/walk.ts";
import { bareWord } from "../mapping/bare-words.ts";
import type { CheckedMapping } from "../mapping/checked.ts";
import { literalArgument } from "./narrowing/references.ts";

/** Names that are used; `any` if some name is computed. */
type Used = ReadonlySet<string> | "any";

/** Reports variables that are set but never read. Each map has variables of its own. */
export function reportUnusedVariables({ statements, maps, mapping }: CheckedMapping, report: Report): void {
  reportAmong(statements, report);
  for (const map of maps.values())
    if (map.span.source === mapping.source) reportAmong(map.statements, report);
}

function reportAmong(statements: readonly Statement[], report: Report): void {
  const lets = letsOf(statements);
  const used = lets.length === 0 ? "any" : readVariables(statements);
  if (used === "any") return;
  const words = readWords(statements);
  const reported = new Set<string>();
  for (const { name } of lets) {
    if (used.has(name.text) || name.text.startsWith("_") || reported.has(name.text)) continue;
    reported.add(name.text);
    const word = words.get(name.text);
    report("GW3113", word ?? name.span, { name: name.text, isField: word !== undefined });
  }
}

function letsOf(statements: readonly Statement[]): readonly Let[] {
  const found: Let[] = [];
  for (const statement of statements) walk(statement, { Let: (node) => void found.push(node) });
  return found;
}

/** Returns the first place of each field that is read by its name alone. */
function readWords(statements: readonly Statement[]): ReadonlyMap<string, Span> {
  const found = new Map<string, Span>();
  for (const statement of statements) {
    walk(statement, {
      FieldAccess(node) {
        const word = bareWord(node);
        if (word !== undefined && !found.has(word.name.text)) found.set(word.name.text, word.name.span);
      },
    });
  }
  return found;
}

function readVariables(statements: readonly Statement[]): Used {
  const names = new Set<string>();
  let isAny = false;
  for (const statement of statements) {
    walk(statement, {
      Variable: ({ name }) => void names.add(name),
      FunctionCall(node) {
        if (node.name.text !== "var") return;
        const name = literalArgument(node);
        if (name === undefined) isAny = true;
        else names.add(name);
      },
    });
  }
  return isAny ? "any" : names;
}

/** Reports maps of the mapping's own file that it never applies; files that contain only maps are made for import. */
export function reportUnusedMaps(checked: CheckedMapping, report: Report): void {
  const { mapping, maps, statements } = checked;
  // A file that contains only maps is meant to be imported.
  if (maps.size === 0 || statements.length === 0) return;
  const applied = appliedMaps(checked);
  if (applied === "any") return;
  for (const [name, map] of maps) {
    if (map.span.source === mapping.source && !applied.has(name)) report("GW3115", map.name.span, { name });
  }
}

/** Returns the maps that the statements apply, directly or through other maps. */
export function appliedMaps({ statements, maps }: Pick<CheckedMapping, "statements" | "maps">): Used {
  const reached = new Set<string>();
  const pending: (readonly MappingNode[])[] = [statements];
  for (let nodes = pending.pop(); nodes !== undefined; nodes = pending.pop()) {
    const names = namesApplied(nodes);
    if (names === "any") return "any";
    for (const name of names) {
      const map: MapDefinition | undefined = maps.get(name);
      if (map === undefined || reached.has(name)) continue;
      reached.add(name);
      pending.push(map.statements);
    }
  }
  return reached;
}

function namesApplied(nodes: readonly MappingNode[]): Used {
  const names = new Set<string>();
  let isAny = false;
  for (const node of nodes) {
    walk(node, {
      MethodCall(call) {
        if (call.name.text !== "apply") return;
        const name = literalArgument(call);
        if (name === undefined) isAny = true;
        else names.add(name);
      },
    });
  }
  return isAny ? "any" : names;
}
