// Finds the scripts of an analysis by their place in the documents, and the nodes at an offset.

import { inferMapping, inferQuery, inferTemplate } from "../../compiler/check/inference/infer-mapping.ts";
import { checkMapping, checkQuery, checkTemplate } from "../../compiler/check/mapping/check.ts";
import type { ObservedScript, ScriptField } from "../../compiler/check/observer.ts";
import { offsetsOf } from "../../compiler/source/source.ts";
import { pathAt } from "../../compiler/trees/document.ts";
import type { Expression, Mapping, MappingNode, Template } from "../../compiler/trees/mapping.ts";
import { childrenOf } from "../../compiler/trees/walk.ts";
import type { Type } from "../../compiler/value-types/type.ts";
import { absolutePath } from "../workspace/paths.ts";
import { type Analysis, documentAt } from "./analysis.ts";
import { isWithin } from "./positions.ts";

/** The tree of a script. */
export type ScriptTree = Mapping | Template | Expression;

/** Returns the tree of a field that contains a script. */
export function treeOf(field: ScriptField): ScriptTree {
  if (field.kind === "Mapping") return field.mapping;
  return field.kind === "Query" ? field.query : field.template;
}

/** Returns the script around an offset of a file, as it was last checked. */
export function scriptAt(analysis: Analysis, path: string, offset: number): ObservedScript | undefined {
  return analysis.scripts.find(({ field }) => {
    const { span } = treeOf(field);
    return absolutePath(span.source.file.path) === path && isWithin(span, offset);
  });
}

const indexes = new WeakMap<Analysis, Map<string, ObservedScript>>();

/** Returns the script at a path of the document `file`, in the format of `pathAt`. */
export function scriptUnder(analysis: Analysis, file: string, path: string): ObservedScript | undefined {
  const index = indexes.get(analysis) ?? indexScripts(analysis);
  indexes.set(analysis, index);
  return index.get(`${file} ${path}`);
}

function indexScripts(analysis: Analysis): Map<string, ObservedScript> {
  const { scripts } = analysis;
  const index = new Map<string, ObservedScript>();
  for (const script of scripts) {
    const { span } = script.field;
    const file = absolutePath(span.source.file.path);
    const root = documentAt(analysis, file)?.root;
    const path = root === undefined ? "" : pathAt(root, offsetsOf(span).start);
    index.set(`${file} ${path}`, script);
  }
  return index;
}

/** Returns the nodes around an offset of the file, the outermost first. */
export function nodesAt(tree: MappingNode, offset: number): readonly MappingNode[] {
  const found: MappingNode[] = [];
  let at: MappingNode | undefined = tree;
  while (at !== undefined) {
    found.push(at);
    at = childrenOf(at).findLast(({ span }) => isWithin(span, offset) && !isEmpty(span));
  }
  return found;
}

function isEmpty({ start, end }: MappingNode["span"]): boolean {
  return start === end;
}

/** Infers the types of a newly parsed script, for the messages that reached it in the last check. */
export function inferAgain(
  tree: ScriptTree,
  kind: ScriptField["kind"],
  observed: ObservedScript,
): ReadonlyMap<Expression, Type> {
  const { scope, message, origin, field } = observed;
  const silent = () => {};
  if (kind === "Template")
    return inferTemplate(checkTemplate(tree as Template, scope, silent), message, silent).types;
  if (kind === "Query")
    return inferQuery(checkQuery(tree as Expression, scope, silent), message, silent).types;
  const startsFrom = field.kind === "Mapping" ? field.startsFrom : "nothing";
  const mode = startsFrom === "message" ? "mutation" : startsFrom === "origin" ? "result" : "mapping";
  return inferMapping(checkMapping(tree as Mapping, scope, silent), message, mode, silent, origin).types;
}
