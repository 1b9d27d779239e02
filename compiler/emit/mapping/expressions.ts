// Emits planned expressions as TypeScript expressions; other files emit the larger kinds. Contains `|`, `or` and
// `catch`, which replace missing or failed values. Paths in them are emitted without catching exceptions.

import { posix } from "node:path";
import type { Builtin } from "../../builtins/builtin.ts";
import { unreachable } from "../../diagnostics/invariant.ts";
import { decidedSide } from "../../plan/mapping/facts.ts";
import type {
  Apply,
  Calculate,
  CatchFallback,
  Coalesce,
  Combine,
  Comparison,
  ConstantValue,
  Index,
  MakeArray,
  MakeObject,
  Negation,
  PathRead,
  Planned,
  PlannedArgument,
  PlannedCall,
  Shift,
  SliceRead,
} from "../../plan/mapping/ir.ts";
import { cacheOf } from "../../plan/resources.ts";
import {
  type Code,
  call,
  code,
  linkTo,
  linkToRuntime,
  list,
  literal,
  objectOf,
  propertyKey,
  raw,
  softBreak,
} from "../code.ts";
import { resourceReference } from "../names.ts";
import { emitClosure, emitThunk, functionOf } from "./closures.ts";
import { emitBind, emitChoice, emitMatch } from "./control.ts";
import { emitExpression, emitValue } from "./dispatch.ts";
import { emitKept, emitKeptText } from "./kept.ts";
import { emitPath, emitPathOpen } from "./paths.ts";
import { type Emitted, operand, precedences, primary } from "./precedence.ts";
import { type RuntimeSymbol, runtime } from "./runtime.ts";
import { canFail, type EmitScope, keyPart, nestedScope, readDocumentIfAny, useRun } from "./scope.ts";
import { emitFindVariable, emitVariable } from "./variables.ts";

/** Returns the expression for the value of a planned one. */
export function emitPlanned(node: Planned, scope: EmitScope): Emitted {
  switch (node.kind) {
    case "Constant":
      return emitConstant(node.value);
    case "VariableText":
      return primary(emitKeptText(node, scope));
    case "Absence":
      return primary(runtime(node.name));
    case "Path":
      return emitPath(node, scope);
    case "ReadVariable":
      return emitVariable(node, scope);
    case "FindVariable":
      return emitFindVariable(node, scope);
    case "ReadMetadata":
      return primary(
        node.key === undefined
          ? code`${useRun(scope)}.allMetadata()`
          : code`${useRun(scope)}.metadataValue(${node.key})`,
      );
    case "MakeArray":
      return emitArray(node, scope);
    case "MakeObject":
      return emitObject(node, scope);
    case "Call":
      return emitCall(node, scope);
    case "Apply":
      return emitApply(node, scope);
    case "Shift":
      return emitShift(node, scope);
    case "Bind":
      return emitBind(node, scope);
    case "Index":
      return emitIndex(node, scope);
    case "Slice":
      return emitSlice(node, scope);
    case "Calculate":
      return emitCalculate(node, scope);
    case "Compare":
      return emitCompare(node, scope);
    case "Combine":
      return emitCombine(node, scope);
    case "Coalesce":
      return emitCoalesce(node, scope);
    case "Fallback":
      return emitFallback(node, scope);
    case "Not":
      return emitNot(node, scope);
    case "Choice":
      return emitChoice(node, scope);
    case "Match":
      return emitMatch(node, scope);
    default:
      return unreachable(node);
  }
}

/** Emits the expression as a JavaScript boolean, for `&&`, `||` and conditions of known type. */
function emitTruth(node: Planned, scope: EmitScope): Emitted {
  const emitted = emitExpression(node, scope);
  return node.type === "boolean" ? emitted : primary(call(runtime("truth"), [emitted.code]));
}

const calculations = { "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo" } as const;

function emitCalculate(node: Calculate, scope: EmitScope): Emitted {
  const { left, right, operator } = node;
  if (operator === "-" && left.kind === "Constant" && left.value === 0n && left.span === node.span) {
    return primary(call(runtime("negate"), [emitValue(right, scope), literal(right.from)]));
  }
  return emitOperator(calculations[operator], left, right, scope);
}

function emitOperator(symbol: RuntimeSymbol, left: Planned, right: Planned, scope: EmitScope): Emitted {
  const operands = [emitValue(left, scope), emitValue(right, scope)];
  return primary(call(runtime(symbol), [...operands, literal(left.from), literal(right.from)]));
}

const orders = { "<": "less", "<=": "lessOrEqual", ">": "greater", ">=": "greaterOrEqual" } as const;

function emitCompare(node: Comparison, scope: EmitScope): Emitted {
  const { left, right, operator } = node;
  if (operator !== "==" && operator !== "!=") return emitOperator(orders[operator], left, right, scope);
  if (right.kind === "Constant" && right.value === null) return emitNullTest(node, scope);
  const equality = call(runtime("equal"), [emitValue(left, scope), emitValue(right, scope)]);
  return operator === "==" ? primary(equality) : { code: code`!${equality}`, level: precedences.unary };
}

/** Emits a comparison with null: only null equals null. */
function emitNullTest({ left, operator }: Comparison, scope: EmitScope): Emitted {
  const subject = operand(emitExpression(left, scope), precedences.unary);
  return { code: code`${subject} ${raw(`${operator}=`)} null`, level: precedences.equality };
}

function emitCombine({ operator, left, right }: Combine, scope: EmitScope): Emitted {
  const level = operator === "&&" ? precedences.and : precedences.or;
  // Mixed chains get brackets, although `&&` has precedence: in the mapping language both are on one level.
  const first = emitTruth(left, scope);
  const mixed = first.level !== level && first.level < precedences.equality;
  const written = mixed ? code`(${first.code})` : operand(first, level);
  const second = operand(emitTruth(right, scope), precedences.equality);
  return { code: code`${written} ${raw(operator)} ${second}`, level };
}

function emitNot({ operand: node }: Negation, scope: EmitScope): Emitted {
  const emitted = emitExpression(node, scope);
  if (node.type !== "boolean") return primary(call(runtime("not"), [emitted.code, literal(node.from)]));
  return { code: code`!${operand(emitted, precedences.unary)}`, level: precedences.unary };
}

function emitArray({ elements }: MakeArray, scope: EmitScope): Emitted {
  const array = list(
    "[",
    elements.map((element) => emitValue(element, scope)),
    "]",
  );
  const sparse = elements.some((element) => element.absence);
  return primary(sparse ? call(runtime("compactArray"), [array]) : array);
}

function emitIndex({ target, index }: Index, scope: EmitScope): Emitted {
  return primary(call(runtime("bracketIndex"), [emitValue(target, scope), emitValue(index, scope)]));
}

function emitSlice({ target, start, stop, step }: SliceRead, scope: EmitScope): Emitted {
  const bounds = [start, stop, step].map((bound) =>
    bound === undefined ? literal(undefined) : emitValue(bound, scope),
  );
  while (bounds.length > 0 && [start, stop, step][bounds.length - 1] === undefined) bounds.pop();
  return primary(call(runtime("bracketSlice"), [emitValue(target, scope), ...bounds]));
}

/** Emits a constant: whole floats are objects, integers beyond the safe ones are bigints. */
function emitConstant(value: ConstantValue): Emitted {
  const negative = (typeof value === "bigint" || typeof value === "number") && value < 0;
  return negative ? { code: constantCode(value), level: precedences.unary } : primary(constantCode(value));
}

function constantCode(value: ConstantValue): Code {
  if (value === null || typeof value === "boolean" || typeof value === "string") return literal(value);
  if (typeof value === "bigint") {
    const small = Number(value);
    return literal(Number.isSafeInteger(small) ? small : value);
  }
  switch (value.kind) {
    case "float":
      return Number.isInteger(value.value)
        ? code`new ${runtime("WholeFloat")}(${value.value})`
        : literal(value.value);
    case "array":
      return list("[", value.items.map(constantCode), "]");
    case "object":
      return objectOf([...value.entries].map(([key, each]) => [key, constantCode(each)]));
    default:
      return unreachable(value);
  }
}

/** `{ key: value }`. Of equal keys the last counts whose value is present, and a failure of any of them. */
function emitObject({ entries }: MakeObject, scope: EmitScope): Emitted {
  const lastPresent = new Map(
    entries.flatMap(({ key, value }, at) => (value.absence ? [] : [[key, at] as const])),
  );
  const earlier = new Set<string>();
  let isAnyComputed = false;
  let isSparse = false;
  const written = entries.flatMap(({ key, value }, at) => {
    if (typeof key !== "string") {
      isAnyComputed = true;
      return [emitComputedEntry(key, value, scope)];
    }
    if (!canFail(value, scope) && (lastPresent.get(key) ?? at) > at) return [];
    const mayReplace = isAnyComputed || earlier.has(key);
    earlier.add(key);
    if (value.absence && mayReplace) return [emitSpreadEntry(literal(key), value, scope)];
    if (value.absence) isSparse = true;
    return [code`${propertyKey(key)}: ${emitEntry(key, value, scope)}`];
  });
  const object = list("{", written, "}", softBreak);
  return primary(isSparse ? call(runtime("compactObject"), [object]) : object);
}

/** Emits an entry with a computed key. Failures name the key as their source, or the key whose value failed. */
function emitComputedEntry(key: Planned, value: Planned, scope: EmitScope): Code {
  const given = canFail(key, scope)
    ? call(runtime("within"), [literal("failed to resolve key"), emitThunk(key, scope)])
    : emitValue(key, scope);
  const name = call(runtime("keyOf"), [given]);
  if (canFail(value, scope) || value.absence) return emitSpreadEntry(name, value, scope);
  return code`[${name}]: ${emitValue(value, scope)}`;
}

/** Emits an entry that leaves an earlier one of the same key if its value is absent. */
function emitSpreadEntry(name: Code, value: Planned, scope: EmitScope): Code {
  return code`...${call(runtime("entryOf"), [name, emitThunk(value, scope)])}`;
}

/** Emits a value whose failure names its key. */
function emitEntry(key: string, value: Planned, scope: EmitScope): Code {
  if (!canFail(value, scope)) return emitValue(value, scope);
  const inner = nestedScope(scope);
  return call(runtime("within"), [literal(keyPart(key)), functionOf([], emitValue(value, inner), inner)]);
}

/** `left ?? right`, with `left` null if it fails or means an absence. */
function emitCoalesce(node: Coalesce, scope: EmitScope): Emitted {
  const decided = decidedSide(node);
  if (decided !== undefined) return emitExpression(decided, scope);
  const { left, right } = node;
  const first = emitNullable(left, scope);
  if (right.kind === "Path") {
    const { value, optional } = emitPathOpen(right, scope);
    return {
      code: code`${first} ?? ${value}${raw(optional ? " ?? null" : "")}`,
      level: precedences.coalesce,
    };
  }
  const emitted = emitExpression(right, scope);
  // A chain of `??` needs no brackets; every weaker operator does.
  const second =
    emitted.level === precedences.coalesce ? emitted.code : operand(emitted, precedences.equality);
  return { code: code`${first} ?? ${second}`, level: precedences.coalesce };
}

/** Emits the value; null or undefined if there is none. */
function emitNullable(node: Planned, scope: EmitScope): Code {
  if (node.kind === "Coalesce") {
    const decided = decidedSide(node);
    if (decided !== undefined) return emitNullable(decided, scope);
    const left = emitNullable(node.left, scope);
    return code`${left} ?? ${emitNullable(node.right, scope)}`;
  }
  if (node.kind === "Fallback" && !canFail(node.target, scope)) return emitNullable(node.target, scope);
  if (isDocumentPath(node) && scope.state.kind !== "mutation") {
    return emitPathOpen(node, scope, readDocumentIfAny(scope)).value;
  }
  if (canFail(node, scope)) return call(runtime("attempt"), [emitThunk(node, scope)]);
  if (node.kind === "Path" && !node.absence) {
    const { value } = emitPathOpen(node, scope);
    return value;
  }
  const emitted = emitExpression(node, scope);
  return node.absence ? call(runtime("present"), [emitted.code]) : operand(emitted, precedences.equality);
}

function isDocumentPath(node: Planned): node is PathRead {
  return node.kind === "Path" && node.base.kind === "document";
}

/** Emits the target, or the fallback with the error text if the target fails. */
function emitFallback({ target, local, fallback }: CatchFallback, scope: EmitScope): Emitted {
  if (!canFail(target, scope)) return emitExpression(target, scope);
  return primary(call(runtime("rescue"), [emitThunk(target, scope), emitClosure(local, fallback, scope)]));
}

/**
 * `uppercase(target, "field `this.name`")`: passes the state that the call keeps, the run, folder or cache if the
 * builtin needs it, the target, then the arguments.
 */
function emitCall(node: PlannedCall, scope: EmitScope): Emitted {
  const { builtin, target, args, span } = node;
  const { kind } = builtin;
  const written = [...emitKept(builtin, args, scope)];
  if (builtin.needs === "run") written.push(useRun(scope));
  if (builtin.needs === "folder") written.push(literal(posix.dirname(span.source.file.path)));
  if (builtin.needs === "cache") written.push(resourceReference(cacheOf(node)));
  if (target !== undefined) written.push(emitValue(target, scope), literal(target.from));
  const last = args.findLastIndex((arg) => arg.kind !== "omitted");
  // The cache replaces the argument that names it.
  const first = builtin.needs === "cache" ? 1 : 0;
  // Arguments without names are numbered by their position among the computed ones.
  const computed = args.filter((arg) => arg.kind === "value" && !literals.has(arg.value.kind));
  for (const [index, arg] of args.slice(first, last + 1).entries()) {
    const parameter = builtin.parameters[first + index];
    const name = parameter?.name ?? computed.indexOf(arg);
    written.push(emitArgument(arg, `${kind} '${builtin.name}'`, name, scope));
    if (arg.kind !== "closure" || parameter?.named === undefined) continue;
    if (parameter.named === "always" || canFail(arg.body, scope)) written.push(literal(arg.body.from));
  }
  return primary(call(linkToBuiltin(builtin), written));
}

/** Returns a reference to the function of a builtin, of this package or of another. */
function linkToBuiltin({ link, module, symbol }: Builtin): Code {
  return link === undefined ? linkTo(`runtime/mapping/${module}`, symbol) : linkToRuntime(link);
}

/** Emits an argument. A failure of a computed one names the argument; reads of fields and variables name themselves. */
function emitArgument(arg: PlannedArgument, caller: string, name: string | number, scope: EmitScope): Code {
  switch (arg.kind) {
    case "value":
      return arg.value.kind === "Path"
        ? emitValue(arg.value, scope)
        : emitNamed(arg.value, caller, name, scope);
    case "closure":
      return emitClosure(arg.local, arg.body, scope);
    case "thunk":
      return emitThunk(arg.body, scope);
    case "omitted":
      return literal(undefined);
  }
}

/** Emits an argument whose failure names it. */
function emitNamed(value: Planned, caller: string, name: string | number, scope: EmitScope): Code {
  if (!canFail(value, scope)) return emitValue(value, scope);
  return call(runtime("within"), [
    literal(`${caller}: failed to extract input arg '${name}'`),
    emitThunk(value, scope),
  ]);
}

/** The kinds of expressions that the reference treats as literals. */
const literals: ReadonlySet<Planned["kind"]> = new Set(["Constant", "Absence"]);

/** `orderMap(value, run)` */
function emitApply({ target, map }: Apply, scope: EmitScope): Emitted {
  const { maps, kind } = scope.state;
  const value = emitValue(target, scope);
  if (typeof map !== "string") {
    const table = [...maps].map(([name, symbol]) => code`[${name}, ${raw(symbol)}]`);
    const given = code`new Map(${list("[", table, "]")})`;
    const name = emitNamed(map, "method 'apply'", "mapping", scope);
    return primary(call(runtime("applyNamed"), [given, name, value, useRun(scope)]));
  }
  const symbol = maps.get(map);
  if (symbol !== undefined) return primary(call(raw(symbol), [value, useRun(scope)]));
  const none = maps.size === 0 && (kind === "query" || kind === "template");
  return primary(
    none ? call(runtime("withoutMaps"), []) : call(runtime("unknownMap"), [literal(map), value]),
  );
}

/** Emits the target with another message to read. `this`, new metadata and variables stay the same. */
function emitShift({ target, index }: Shift, scope: EmitScope): Emitted {
  const run = useRun(scope);
  if (index?.kind === "Constant" && typeof index.value === "bigint") {
    return emitExpression(target, { ...scope, run: code`${run}.from(${raw(String(Number(index.value)))})` });
  }
  const inner = nestedScope(scope);
  const name = raw(inner.names.claim("shifted", "shifted"));
  const query = functionOf([name], emitValue(target, { ...inner, run: name }), inner);
  if (index === undefined) return primary(call(code`${run}.fromAll`, [query]));
  const given = emitNamed(index, "method 'from'", "index", scope);
  return primary(call(runtime("fromIndex"), [run, given, query]));
}
