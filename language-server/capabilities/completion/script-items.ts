// Completion in scripts, based on the types that are inferred at the pointer.

import { type CompletionItem, CompletionItemKind, InsertTextFormat } from "vscode-languageserver";
import { acceptedElement, acceptedTarget } from "../../../compiler/builtins/accepted.ts";
import type { Builtin } from "../../../compiler/builtins/builtin.ts";
import { signatureOf } from "../../../compiler/builtins/describe.ts";
import { knownType } from "../../../compiler/check/inference/infer.ts";
import type { ObservedScript, ScriptField } from "../../../compiler/check/observer.ts";
import type { SourceText } from "../../../compiler/source/source.ts";
import type { Dialect } from "../../../compiler/trees/dialect.ts";
import type {
  Expression,
  FunctionCall,
  Lambda,
  MappingNode,
  MethodCall,
  Statement,
} from "../../../compiler/trees/mapping.ts";
import { type Alternative, alternativesOf } from "../../../compiler/value-types/alternatives.ts";
import { fieldNamesOf, fieldOf } from "../../../compiler/value-types/fields.ts";
import { printType } from "../../../compiler/value-types/print.ts";
import { type Type, unknown } from "../../../compiler/value-types/type.ts";
import { placeholder, repairScript } from "../../analysis/repaired.ts";
import { mapsOf } from "../../analysis/script-names.ts";
import { inferAgain, treeOf } from "../../analysis/scripts.ts";
import { describeBuiltin } from "../markdown.ts";
import { unlessAllowed } from "./set-items.ts";

/** A script with the placeholder at the pointer, and its context. */
export interface ScriptCompletion {
  readonly source: SourceText;
  readonly kind: ScriptField["kind"];
  readonly script: ObservedScript;
  readonly dialect: Dialect;
}

/** Items, and the part of the script before the pointer that they replace. */
export interface ScriptItems {
  readonly items: readonly CompletionItem[];
  /** The offset in the file where that part begins, after quotes and signs. */
  readonly start: number;
  readonly isQuoted: boolean;
  /** The written part of a file name, if the pointer is in one. */
  readonly imported?: string;
}

/** Returns the items for the pointer. */
export function completeScript({ source, kind, script, dialect }: ScriptCompletion): ScriptItems {
  const { text } = source;
  const at = text.indexOf(placeholder);
  const line = text.slice(text.lastIndexOf("\n", at) + 1, at);
  const isStatement = kind === "Mapping" && /^[ \t]*\w*$/.test(line);
  const word = { start: source.offsetInFile(at - (/\w*$/.exec(line)?.[0].length ?? 0)), isQuoted: false };
  const repaired = repairScript(source, kind);
  if (repaired === undefined) return { items: isStatement ? statementItems : [], ...word };
  const { tree, nodes } = repaired;
  const types = inferAgain(tree, kind, script);
  const builtins = script.scope.builtins ?? dialect.builtins;
  const place: Place = { nodes, types, script, builtins, tree };
  const items = itemsAt(place);
  // The beginning of a line may also continue an expression of the line above.
  if (isStatement && !nodes.some(({ kind }) => enclosing.has(kind))) {
    const words = new Set(statementItems.map(({ label }) => label));
    const others = items.filter(
      ({ label, kind }) => kind !== CompletionItemKind.Keyword || !words.has(label),
    );
    return { items: [...statementItems, ...others], ...word };
  }
  const span = nodes.at(-1)?.span;
  const quotes = span === undefined ? 0 : (/^"*/.exec(text.slice(span.start, at))?.[0].length ?? 0);
  if (span === undefined || quotes === 0) return { items, ...word };
  const around = nodes.at(-2);
  const isFile = around?.kind === "Import" || (around?.kind === "Mapping" && around.from === nodes.at(-1));
  return {
    items,
    start: source.offsetInFile(span.start + quotes),
    isQuoted: true,
    ...(isFile && { imported: text.slice(span.start + quotes, at) }),
  };
}

/** The nodes that cannot contain statements. */
const enclosing: ReadonlySet<MappingNode["kind"]> = new Set<MappingNode["kind"]>([
  ...(["Argument", "ArrayLiteral", "Group", "MatchExpression", "ObjectLiteral"] as const),
]);

interface Place {
  readonly nodes: readonly MappingNode[];
  readonly types: ReadonlyMap<Expression, Type>;
  readonly script: ObservedScript;
  readonly builtins: Dialect["builtins"];
  readonly tree: MappingNode;
}

function itemsAt(place: Place): readonly CompletionItem[] {
  const { nodes, types, script } = place;
  const node = nodes.at(-1);
  const around = nodes.at(-2);
  switch (node?.kind) {
    case "Variable":
      return variableItems(nodes);
    case "StringLiteral":
      return textItems(node, place);
    case "ContextName":
      return valueItems(place, unknown);
    case "Name":
      break;
    default:
      return [];
  }
  switch (around?.kind) {
    case "FieldAccess":
      if (around.receiver.kind === "This" && around.receiver.implicit)
        return valueItems(place, knownType(around.receiver, types));
      return memberItems(knownType(around.receiver, types), place);
    case "MethodCall":
      return memberItems(knownType(around.receiver, types), place);
    case "FunctionCall":
      return functionItems(place);
    case "Metadata":
      return metadataItems(script);
    case "Assign":
      return targetItems(script);
    default:
      return [];
  }
}

/** Returns the fields and methods of a value. */
function memberItems(type: Type, place: Place): readonly CompletionItem[] {
  const { builtins } = place.builtins;
  const methods = builtins.filter((builtin) => builtin.kind === "method" && fits(builtin, type));
  return [...fieldItems(type), ...builtinItems(methods, place)];
}

function functionItems(place: Place): readonly CompletionItem[] {
  return builtinItems(
    place.builtins.builtins.filter(({ kind }) => kind === "function"),
    place,
  );
}

/** Whether the method accepts some value of the type, including its elements. */
function fits(builtin: Builtin, type: Type): boolean {
  const target = acceptedTarget(builtin);
  if (target.kind === "Unknown") return true;
  const element = acceptedElement(builtin);
  return alternativesOf(type).some((each) => {
    if (!isOneOf(each, target)) return false;
    const items = each.kind === "Array" && element !== undefined ? alternativesOf(each.items) : [];
    return items.length === 0 || items.some((item) => element === undefined || isOneOf(item, element));
  });
}

/** Whether a value of a type may be of an accepted kind. */
function isOneOf({ kind }: Alternative, accepted: Type): boolean {
  return kind === "Unknown" || alternativesOf(accepted).some((each) => each.kind === kind);
}

function fieldItems(type: Type): readonly CompletionItem[] {
  return fieldNamesOf(type)
    .filter((name) => !name.includes(placeholder))
    .map((name) => ({
      label: name,
      kind: CompletionItemKind.Field,
      detail: printType(fieldOf(type, name).type),
      sortText: `0${name}`,
      ...(/^\w+$/.test(name) ? {} : { insertText: JSON.stringify(name) }),
    }));
}

/** Returns builtins as items, without those that require a capability that no gateway has. */
function builtinItems(builtins: readonly Builtin[], { script }: Place): readonly CompletionItem[] {
  const isAllowed = ({ name, capability }: Builtin, needed: Builtin["capability"]) =>
    capability !== needed || script.scope.allowed?.has(name) === true;
  return builtins
    .filter((builtin) => isAllowed(builtin, "compiler"))
    .map((builtin) => unlessAllowed(isAllowed(builtin, "files"), builtinItem(builtin)));
}

const builtinItemsKnown = new WeakMap<Builtin, CompletionItem>();

function builtinItem(builtin: Builtin): CompletionItem {
  const item = builtinItemsKnown.get(builtin) ?? describedItem(builtin);
  builtinItemsKnown.set(builtin, item);
  return item;
}

function describedItem(builtin: Builtin): CompletionItem {
  const { name, kind, deprecated, parameters, variadic } = builtin;
  const hasArguments = parameters.length > 0 || variadic;
  return {
    label: name,
    kind: kind === "method" ? CompletionItemKind.Method : CompletionItemKind.Function,
    detail: signatureOf(builtin),
    documentation: { kind: "markdown", value: describeBuiltin(builtin) },
    insertText: hasArguments ? `${name}($1)` : `${name}()`,
    insertTextFormat: InsertTextFormat.Snippet,
    sortText: `${deprecated ? "9" : "2"}${name}`,
    ...(deprecated && { tags: [1] }),
  };
}

/** Returns the items that a value may begin with. */
function valueItems(place: Place, self: Type): readonly CompletionItem[] {
  const { builtins, nodes, tree } = place;
  const labels = nodes.flatMap((node) => (node.kind === "Lambda" ? [(node as Lambda).parameter.text] : []));
  const call = nodes.findLast(
    (node): node is MethodCall | FunctionCall => node.kind === "MethodCall" || node.kind === "FunctionCall",
  );
  const named = call === undefined ? [] : parameterItems(call, builtins);
  // Only mappings create a new message.
  const names = ["this", ...(tree.kind === "Mapping" ? ["root"] : [])];
  const words = [...names, "if", "match", "true", "false", "null"].map((label) => ({
    label,
    kind: CompletionItemKind.Keyword,
    sortText: `3${label}`,
  }));
  return [
    ...named,
    ...labels.map((label) => ({ label, kind: CompletionItemKind.Variable, sortText: `0${label}` })),
    ...fieldItems(self),
    ...variableItems(nodes).map((item) => ({ ...item, label: `$${item.label}` })),
    ...words,
    ...functionItems(place),
  ];
}

/** Returns the parameters of the call around the pointer, which arguments may name. */
function parameterItems(
  call: MethodCall | FunctionCall,
  builtins: Dialect["builtins"],
): readonly CompletionItem[] {
  const { text } = call.name;
  const builtin = call.kind === "MethodCall" ? builtins.findMethod(text) : builtins.findFunction(text);
  const given = new Set(call.args.flatMap(({ name }) => name?.text ?? []));
  return (builtin?.parameters ?? [])
    .filter(({ name }) => !given.has(name))
    .map(({ name, type }) => ({
      label: `${name}:`,
      kind: CompletionItemKind.Property,
      detail: type,
      insertText: `${name}: `,
      sortText: `1${name}`,
    }));
}

/** Returns the variables that are always set at the pointer; maps cannot read the variables outside. */
function variableItems(nodes: readonly MappingNode[]): readonly CompletionItem[] {
  const body = nodes.slice(
    Math.max(
      0,
      nodes.findLastIndex(({ kind }) => kind === "MapDefinition"),
    ),
  );
  const names = new Set(body.flatMap((node) => variablesBefore(node, body)));
  return [...names].map((label) => ({ label, kind: CompletionItemKind.Variable, sortText: `1${label}` }));
}

/** Returns the variables set by the statements before the one with the pointer. */
function variablesBefore(node: MappingNode, nodes: readonly MappingNode[]): readonly string[] {
  const blocks = "statements" in node ? [node.statements] : [];
  const otherwise = node.kind === "IfStatement" ? (node.otherwise ?? []) : [];
  return [...blocks, otherwise].flatMap((statements) => {
    const at = statements.findIndex((each) => nodes.includes(each));
    return at === -1 ? [] : statements.slice(0, at).flatMap((each) => [...variablesSet(each)]);
  });
}

/** Returns the variables that are set in every case after a statement. */
function variablesSet(statement: Statement): ReadonlySet<string> {
  if (statement.kind === "Let") return new Set([statement.name.text]);
  if (statement.kind !== "IfStatement" || statement.otherwise === undefined) return new Set();
  const blocks = [...statement.branches.map(({ statements }) => statements), statement.otherwise];
  const set = blocks.map((block) => new Set(block.flatMap((each) => [...variablesSet(each)])));
  return set.reduce((one, other) => one.intersection(other));
}

/** Returns the metadata keys that messages have here. */
function metadataItems({ message }: ObservedScript): readonly CompletionItem[] {
  return [...message.metadata.known].map(([label, { type }]) => ({
    label,
    kind: CompletionItemKind.Property,
    detail: printType(type),
    ...(/^\w+$/.test(label) ? {} : { insertText: JSON.stringify(label) }),
  }));
}

/** Returns targets of assignments: usually fields of the message are kept. */
function targetItems({ message }: ObservedScript): readonly CompletionItem[] {
  return fieldItems(message.content);
}

/**
 * Returns texts: metadata keys, names of maps and caches, and the possible values of the other operand of a
 * comparison or of a match subject.
 */
function textItems(node: Expression, { nodes, types, script, tree }: Place): readonly CompletionItem[] {
  const call = nodes.findLast(
    (each): each is MethodCall | FunctionCall => each.kind === "MethodCall" || each.kind === "FunctionCall",
  );
  const around = nodes.at(-2);
  if (around?.kind === "Binary")
    return literalItems(knownType(around.left === node ? around.right : around.left, types));
  const match = nodes.at(-3);
  if (around?.kind === "MatchCase" && around.pattern === node && match?.kind === "MatchExpression")
    return match.subject === undefined ? [] : literalItems(knownType(match.subject, types));
  switch (around?.kind === "Argument" ? call?.name.text : undefined) {
    case "meta":
    case "metadata":
    case "root_meta":
      return metadataItems(script).map(({ insertText: _, ...item }) => item);
    case "apply":
      return mapItems(tree, script);
    case "cache_get":
    case "cache_set":
    case "cache_add":
    case "cache_delete":
      return [...(script.scope.caches?.keys() ?? [])].map((label) => ({
        label,
        kind: CompletionItemKind.Reference,
      }));
    default:
      return [];
  }
}

/** Returns the texts that a value may be, if they are known. */
function literalItems(type: Type): readonly CompletionItem[] {
  return alternativesOf(type).flatMap((each) =>
    each.kind === "String" && each.value !== undefined
      ? [{ label: each.value, kind: CompletionItemKind.EnumMember }]
      : [],
  );
}

function mapItems(tree: MappingNode, { scope, field }: ObservedScript): readonly CompletionItem[] {
  if (tree.kind !== "Mapping") return [];
  // Imports were loaded relative to the checked document; the path of the repaired document may be written differently.
  const load: typeof scope.load = (path, from) =>
    scope.load?.(path, from === tree.source ? treeOf(field).span.source : from) ?? { reason: "unknown" };
  return [...mapsOf(tree, { ...scope, load }).keys()].map((label) => ({
    label,
    kind: CompletionItemKind.Function,
  }));
}

const statementItems: readonly CompletionItem[] = [
  ["root", "root", "Assigns to the new message, or to a field of it."],
  ["let", "let ${1:name} = $0", "Sets a variable, read as `$name`."],
  ["meta", "meta ${1:key} = $0", "Sets metadata."],
  ["if", "if ${1:condition} {\n  $0\n}", "Runs statements if a condition is true."],
  ["map", "map ${1:name} {\n  $0\n}", 'Defines a map, applied as `.apply("name")`.'],
  ["import", 'import "${1:./maps.blobl}"', "Imports the maps of a file."],
].map(([label = "", insertText = "", documentation = ""]) => ({
  label,
  insertText,
  documentation,
  kind: CompletionItemKind.Keyword,
  insertTextFormat: InsertTextFormat.Snippet,
  insertTextMode: 2 as const,
  sortText: `00${label}`,
}));
