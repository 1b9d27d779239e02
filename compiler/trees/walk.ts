// Generic traversal of mapping trees, for callers that handle a few kinds of node.

import { type Mapping, type MappingNode, sampleOf } from "./mapping.ts";

/** The node of a kind. */
export type NodeOf<K extends MappingNode["kind"]> = Extract<MappingNode, { readonly kind: K }>;

/** The fields of a node that contain nodes or lists of nodes. */
type ChildKey<N> = {
  [K in keyof N]-?: [Exclude<N[K], undefined>] extends [MappingNode | readonly MappingNode[]] ? K : never;
}[keyof N];

/** Child fields in source order. A kind without a row, or a row with a wrong field, does not compile. */
export const childKeys: { readonly [K in MappingNode["kind"]]: readonly ChildKey<NodeOf<K>>[] } = {
  Mapping: ["from", "statements"],
  Template: ["parts"],
  TextPart: [],
  QueryPart: ["query"],
  Import: ["path"],
  MapDefinition: ["name", "statements"],
  Let: ["name", "value"],
  MetaAssign: ["key", "value"],
  Assign: ["target", "value"],
  IfStatement: ["branches", "otherwise"],
  StatementBranch: ["condition", "statements"],
  Name: [],
  NullLiteral: [],
  BooleanLiteral: [],
  IntegerLiteral: [],
  FloatLiteral: [],
  StringLiteral: [],
  VariableText: [],
  ArrayLiteral: ["elements"],
  ObjectLiteral: ["entries"],
  ObjectEntry: ["key", "value"],
  This: [],
  Root: [],
  ContextName: [],
  Variable: [],
  Metadata: ["key"],
  FieldAccess: ["receiver", "name"],
  MethodCall: ["receiver", "name", "args"],
  FunctionCall: ["name", "args"],
  Argument: ["name", "value"],
  MapExpression: ["receiver", "body"],
  IndexAccess: ["receiver", "index"],
  Slice: ["receiver", "start", "stop", "step"],
  Negate: ["operand"],
  Not: ["operand"],
  Binary: ["left", "right"],
  Group: ["inner"],
  IfExpression: ["branches", "otherwise"],
  ExpressionBranch: ["condition", "value"],
  MatchExpression: ["subject", "cases"],
  MatchCase: ["pattern", "value"],
  Lambda: ["parameter", "body"],
};

/**
 * Functions that are called for nodes of a kind, before their children are visited. If one returns `false`, the
 * children are skipped.
 */
export type Visitors = {
  readonly [K in MappingNode["kind"]]?: (node: NodeOf<K>) => unknown;
};

/** Visits `node` and everything below it in source order. */
export function walk(node: MappingNode, visitors: Visitors): void {
  if (node.kind === "Mapping") visitMapping(node, visitors);
  else visitBelow(node, visitors);
}

function visitBelow(node: MappingNode, visitors: Visitors): void {
  if (visitOne(node, visitors) === false) return;
  eachChild(node, (child) => visitBelow(child, visitors));
}

function visitOne(node: MappingNode, visitors: Visitors): unknown {
  // The visitor for a kind accepts nodes of that kind. TypeScript cannot see this relation.
  const visit = visitors[node.kind] as ((node: MappingNode) => unknown) | undefined;
  return visit?.(node);
}

/** The nodes of a mapping in source order, for each the index after the last node below it, and their kinds. */
interface ListedNodes {
  readonly nodes: readonly MappingNode[];
  readonly ends: readonly number[];
  readonly kinds: ReadonlySet<string>;
}

/** Cache by mapping: every check walks each of them a dozen times. */
const listed = new WeakMap<MappingNode, ListedNodes>();

function listedIn(mapping: Mapping): ListedNodes {
  return listed.get(mapping) ?? list(mapping);
}

function list(mapping: Mapping): ListedNodes {
  const nodes: MappingNode[] = [];
  const ends: number[] = [];
  const kinds = new Set<string>();
  const add = (node: MappingNode): void => {
    const at = nodes.push(node) - 1;
    kinds.add(node.kind);
    eachChild(node, add);
    ends[at] = nodes.length;
  };
  add(mapping);
  const found = { nodes, ends, kinds };
  listed.set(mapping, found);
  return found;
}

function visitMapping(mapping: Mapping, visitors: Visitors): void {
  // Most mappings have none of the few kinds that a caller looks for.
  const { kinds } = listedIn(sampleOf(mapping));
  if (!Object.keys(visitors).some((kind) => kinds.has(kind))) return;
  const { nodes, ends } = listedIn(mapping);
  for (let at = 0; at < nodes.length; ) {
    const node = nodes[at];
    const goesOn = node === undefined || visitOne(node, visitors) !== false;
    at = goesOn ? at + 1 : (ends[at] ?? nodes.length);
  }
}

function eachChild(node: MappingNode, visit: (child: MappingNode) => void): void {
  // `childKeys` contains only fields with nodes or lists of nodes, as its own type proves.
  const fields = node as unknown as Readonly<
    Record<string, MappingNode | readonly MappingNode[] | undefined>
  >;
  for (const key of childKeys[node.kind] as readonly string[]) {
    const field = fields[key];
    if (field === undefined) continue;
    if ("kind" in field) visit(field);
    else for (const child of field) visit(child);
  }
}

/** Returns the nodes directly below a node, in source order. */
export function childrenOf(node: MappingNode): readonly MappingNode[] {
  const children: MappingNode[] = [];
  eachChild(node, (child) => void children.push(child));
  return children;
}
