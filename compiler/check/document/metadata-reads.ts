// Where scripts read metadata, and which of it they pass on.

import type { Expression, FunctionCall, MappingNode, MetadataExpression } from "../../trees/mapping.ts";
import { childrenOf, walk } from "../../trees/walk.ts";

/** A read of metadata: of one name known now, or of all of it. */
export interface MetadataRead {
  readonly node: MetadataExpression | FunctionCall;
  /** `undefined` where all is read. */
  readonly name: string | undefined;
}

/** Every read of metadata in a script, in source order. */
export function metadataReads(script: MappingNode): readonly MetadataRead[] {
  const found: MetadataRead[] = [];
  const visit = (node: MetadataExpression | FunctionCall) => {
    found.push(...readOf(node));
  };
  walk(script, { Metadata: visit, FunctionCall: visit });
  return found;
}

/** What an expression gives its value from: reads of metadata, and variables. */
export interface Copies {
  readonly reads: readonly MetadataRead[];
  readonly variables: readonly string[];
}

/** The reads whose text becomes part of what an expression gives, not those it only looks at. */
export function copiesIn(value: Expression): Copies {
  const reads: MetadataRead[] = [];
  const variables: string[] = [];
  const visit = (node: MappingNode): void => {
    if (node.kind === "Metadata" || node.kind === "FunctionCall") reads.push(...readOf(node));
    if (node.kind === "Variable") variables.push(node.name);
    for (const part of partsOf(node)) visit(part);
  };
  visit(value);
  return { reads, variables };
}

const readingFunctions: ReadonlySet<string> = new Set(["meta", "metadata"]);

/** What a node reads by itself: `@a`, `meta("a")`, `@`. Nothing where the name is not known now. */
function readOf(node: MetadataExpression | FunctionCall): readonly MetadataRead[] {
  if (node.kind === "Metadata") return [{ node, name: node.key?.text }];
  if (!readingFunctions.has(node.name.text)) return [];
  const [key] = node.args;
  if (key === undefined) return [{ node, name: undefined }];
  return key.value.kind === "StringLiteral" ? [{ node, name: key.value.value }] : [];
}

const comparing: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">=", "&&", "||"]);

/** Methods whose outcome says something of a text, but not the text itself. */
const telling: ReadonlySet<string> = new Set([
  "contains",
  "exists",
  "has_prefix",
  "has_suffix",
  "hash",
  "length",
  "re_match",
  "type",
]);

/** The parts of a node whose values go into its own. Conditions choose between values and are none. */
function partsOf(node: MappingNode): readonly MappingNode[] {
  switch (node.kind) {
    case "Binary":
      return comparing.has(node.operator) ? [] : [node.left, node.right];
    case "Not":
      return [];
    case "MethodCall":
      return telling.has(node.name.text) ? [] : childrenOf(node);
    case "ExpressionBranch":
      return [node.value];
    case "MatchExpression":
      return node.cases.map((each) => each.value);
    default:
      return childrenOf(node);
  }
}
