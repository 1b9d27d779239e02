// Checks a mapping, query or template: resolves every name and the arguments of every call. Returns facts by node of
// the tree. Reports problems; the facts are then incomplete.

import { coreBuiltins } from "../../builtins/catalogue.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type {
  Binary,
  CallNode,
  Expression,
  MapDefinition,
  Mapping,
  MappingNode,
  MethodCall,
  Name,
  Negate,
  ObjectLiteral,
  Template,
  VariableText,
} from "../../trees/mapping.ts";
import { printVariable, reportUnknownVariable, variablesIn } from "../../trees/named-variables.ts";
import { walk } from "../../trees/walk.ts";
import {
  checkCaseWord,
  checkComparison,
  checkKeyWord,
  checkNameArgument,
  checkTarget,
  checkText,
} from "./bare-words.ts";
import { resolveCall } from "./calls.ts";
import type {
  CheckedCall,
  CheckedFacts,
  CheckedMapping,
  CheckedQuery,
  CheckedTemplate,
  Evaluated,
  Evaluator,
  KnownOperand,
  KnownValue,
  MappingScope,
} from "./checked.ts";
import { constantType, nativeTypeOf } from "./constant.ts";
import { absenceOf, createFolder, type Folded, type Folder } from "./fold.ts";
import { collectMaps } from "./maps.ts";
import { referenceAfter, referenceAt, reportInTemplate } from "./reference.ts";
import { checkReads, checkVariables } from "./variables.ts";

/** The beginning of argument errors at run time; for literals, the reference engine reports them without it. */
const argumentError = /^method '\w+': failed to extract input arg '(?<name>\w+)': /;

type Operator = Binary | Negate;

type Calls = ReadonlyMap<CallNode, CheckedCall>;

/** Computes the values of static calls, each once. */
interface StaticCalls {
  /** Returns the value of a call; `undefined` if it is not static or must not be folded. */
  fold(call: MethodCall): Folded;
  /**
   * Reports the calls and operators that always fail. In a chain of calls, only the innermost is reported.
   * `operators`: those that literals alone do not decide, with the starts of their chains.
   */
  check(operators: ReadonlyMap<Operator, Span>, report: Report): void;
}

function absentTarget(node: Expression): KnownValue | undefined {
  const name = absenceOf(node);
  return name && { kind: "absence", name };
}

/** Creates the static calls among resolved calls. `evaluate` computes them; `folder` folds everything else. */
function createStaticCalls(calls: Calls, folder: Folder, evaluate: Evaluator): StaticCalls {
  const known = new Map<MethodCall, Evaluated>();

  const findValue = (node: Expression): KnownValue | undefined => {
    if (node.kind === "Group") return findValue(node.inner);
    const evaluated = node.kind === "MethodCall" ? evaluateCall(node) : folder.fold(node);
    return evaluated !== undefined && "value" in evaluated ? evaluated.value : undefined;
  };

  const argumentsOf = ({ builtin, args }: CheckedCall): readonly (KnownValue | undefined)[] | undefined => {
    const values: (KnownValue | undefined)[] = [];
    for (const [index, parameter] of builtin.parameters.entries()) {
      const arg = args[index];
      const value = arg === undefined ? parameter.default : findValue(arg);
      if (arg !== undefined && value === undefined) return undefined;
      values.push(value);
    }
    return values;
  };

  const evaluateCall = (node: MethodCall): Evaluated | undefined => {
    const earlier = known.get(node);
    if (earlier !== undefined) return earlier;
    const call = calls.get(node);
    if (call === undefined || !call.builtin.staticFolding) return undefined;
    const target = absentTarget(node.receiver) ?? findValue(node.receiver);
    const args = target === undefined ? undefined : argumentsOf(call);
    if (target === undefined || args === undefined) return undefined;
    const evaluated = evaluate.method(call.builtin, target, args);
    known.set(node, evaluated);
    return evaluated;
  };

  /** Returns why the arguments alone make the call fail, such as an unknown time zone. */
  const argumentFailure = (call: CheckedCall): string | undefined => {
    const args = call.args.some((arg) => arg !== undefined) ? argumentsOf(call) : undefined;
    if (args === undefined || !call.builtin.targets.includes("number")) return undefined;
    // Methods on timestamps accept a number as the target, so only the arguments can fail.
    const evaluated = evaluate.method(call.builtin, 0n, args);
    return "failure" in evaluated ? evaluated.failure : undefined;
  };

  const findOperand = (node: Expression): KnownOperand | undefined => {
    if (node.kind === "Group") return findOperand(node.inner);
    if (node.kind === "Binary" || node.kind === "Negate") {
      const evaluated = evaluateOperator(node);
      if (evaluated === undefined || "failure" in evaluated) return undefined;
      // The reference engine gives a result the origin of the right operand.
      const right = findOperand(node.kind === "Negate" ? node.operand : node.right);
      return right && { value: evaluated.value, from: right.from };
    }
    const name = absenceOf(node);
    if (name !== undefined) return { value: { kind: "absence", name }, from: name };
    const value = findValue(node);
    if (value === undefined) return undefined;
    if (node.kind === "MethodCall") return { value, from: `method ${node.name.text}` };
    const folded = folder.fold(node);
    return folded !== undefined && "value" in folded
      ? { value, from: `${constantType(folded.value)} literal` }
      : undefined;
  };

  const evaluateOperator = (node: Operator): Evaluated | undefined => {
    const isNegation = node.kind === "Negate";
    const left = isNegation ? { value: 0n, from: "number literal" } : findOperand(node.left);
    const right = left && findOperand(isNegation ? node.operand : node.right);
    return left && right && evaluate.operator(isNegation ? "-" : node.operator, left, right);
  };

  return {
    fold(node) {
      const evaluated = evaluateCall(node);
      if (evaluated === undefined || "failure" in evaluated) return undefined;
      // Numbers computed from constants are the same on every machine; texts can depend on the local time zone.
      const ofConstants = node.receiver.kind !== "MethodCall";
      return typeof evaluated.value === "bigint" && ofConstants ? { value: evaluated.value } : undefined;
    },
    check(operators, report) {
      for (const [node, start] of operators) {
        const evaluated = evaluateOperator(node);
        if (evaluated === undefined || !("failure" in evaluated)) continue;
        reportOperator(node, start, evaluated.failure, report);
      }
      for (const [node, call] of calls) {
        if (node.kind !== "MethodCall" || !call.builtin.staticFolding) continue;
        const evaluated = evaluateCall(node);
        const failure =
          evaluated === undefined
            ? argumentFailure(call)
            : "failure" in evaluated
              ? evaluated.failure
              : undefined;
        if (failure === undefined) continue;
        const text = failure.replace(argumentError, "field $<name>: ");
        const reference = referenceAfter(node.span, text);
        report("GW3018", node.span, { name: node.name.text, failure: text, reference });
      }
    },
  };
}

/** Checks a whole mapping. */
export function checkMapping(mapping: Mapping, scope: MappingScope, report: Report): CheckedMapping {
  const { maps, statements, isPartial } = collectMaps(mapping, scope, report);
  const checker = createChecker(isPartial ? undefined : maps, scope, report);
  // Without maps and imports, the nodes of the mapping are cached: other rules have walked it already.
  const isWhole = mapping.form !== "from" && statements.length === mapping.statements.length;
  for (const part of isWhole ? [mapping] : statements) checker.visit(part);
  for (const map of maps.values()) checker.visit(map);
  if (!isPartial) {
    // A map begins without variables.
    const ofMaps = { refusesUnset: scope.refusesUnset };
    checkVariables(statements, scope, report);
    for (const map of maps.values()) checkVariables(map.statements, ofMaps, report);
  }
  return { kind: "CheckedMapping", mapping, statements, maps, isPartial, ...checker.finish() };
}

/** Checks a bare query, such as the check of a `switch` or a query of the API. */
export function checkQuery(query: Expression, scope: MappingScope, report: Report): CheckedQuery {
  const maps = scope.maps ?? new Map<string, MapDefinition>();
  const checker = createChecker(maps, scope, report);
  checker.visit(query);
  checkRoots(query, report);
  for (const map of maps.values()) checker.visit(map);
  checkReads(query, scope, report);
  return { kind: "CheckedQuery", query, maps, ...checker.finish() };
}

/** Checks the queries of a template. Templates have neither maps nor variables. */
export function checkTemplate(template: Template, scope: MappingScope, given: Report): CheckedTemplate {
  const report = reportInTemplate(template.source.text, given);
  const maps = new Map<string, MapDefinition>();
  const checker = createChecker(maps, scope, report);
  checker.visit(template);
  checkRoots(template, report);
  for (const part of template.parts)
    if (part.kind === "QueryPart") checkReads(part.query, { refusesUnset: scope.refusesUnset }, report);
  return { kind: "CheckedTemplate", template, maps, ...checker.finish() };
}

/** Reports `root` in places that build no message. */
function checkRoots(node: MappingNode, report: Report): void {
  walk(node, { Root: ({ span }) => report("GW3129", span, {}) });
}

interface Checker {
  visit(node: MappingNode): void;
  /** Returns the facts about all visited nodes. */
  finish(): Pick<CheckedFacts, "calls" | "folder" | "builtins">;
}

/** `maps` are the existing maps; `undefined` if some may be missing because of mistakes. */
function createChecker(
  maps: ReadonlyMap<string, MapDefinition> | undefined,
  scope: MappingScope,
  report: Report,
): Checker {
  const { allowed = new Set(), builtins = coreBuiltins, evaluate } = scope;
  const calls = new Map<CallNode, CheckedCall>();
  const folder = createFolder();
  // The start of the operator chain that an operand belongs to.
  const chainStarts = new Map<Expression, Span>();
  const undecided = new Map<Operator, Span>();
  const enterOperator = (node: Operator, operands: readonly Expression[]) => {
    const start = chainStarts.get(node) ?? node.span;
    const folded = folder.fold(node);
    if (folded === undefined) undecided.set(node, start);
    else if ("failure" in folded) reportOperator(node, start, folded.failure, report);
    for (const operand of operands) chainStarts.set(operand, start);
  };
  const resolve = (call: CallNode) => {
    const resolved = resolveCall(call, { ...scope, folder, allowed, builtins }, report);
    if (resolved !== undefined) calls.set(call, resolved);
  };
  const visit = (node: MappingNode) =>
    walk(node, {
      FunctionCall(call) {
        resolve(call);
        checkNameArgument(call, report);
      },
      Mapping: (mapping) => checkComparison(mapping, report),
      Assign: (assign) => checkTarget(assign, report),
      ObjectEntry: (entry) => checkKeyWord(entry, report),
      MatchCase: (each) => checkCaseWord(each, report),
      MethodCall(call) {
        resolve(call);
        if (maps !== undefined) checkApplied(call, maps, report);
      },
      StringLiteral: (literal) => checkText(literal, report),
      VariableText: (text) => checkNamedVariables(text, scope, report),
      Name: (name) => checkName(name, report),
      ObjectLiteral: (literal) => checkKeys(literal, folder, report),
      Negate(negation) {
        enterOperator(negation, [negation.operand]);
      },
      Binary(binary) {
        enterOperator(binary, [binary.left, binary.right]);
        checkEscapedComparison(binary, report);
      },
    });
  const finish = () => {
    if (evaluate === undefined) return { calls, folder, builtins };
    const known = createStaticCalls(calls, folder, evaluate);
    known.check(undecided, report);
    // The first folder met calls before they were resolved.
    return { calls, folder: createFolder(known.fold), builtins };
  };
  return { visit, finish };
}

/** Checks that a map that is applied by a literal name exists. */
function checkApplied(call: MethodCall, maps: ReadonlyMap<string, MapDefinition>, report: Report): void {
  const name: Expression | undefined = call.args[0]?.value;
  if (call.name.text !== "apply" || name?.kind !== "StringLiteral" || maps.has(name.value)) return;
  report("GW3002", name.span, { name: name.value, ...nearest(name.value, maps.keys()) });
}

/**
 * Checks that known keys are text, and that none is there twice. The reference engine reports the first mistake at the
 * object.
 */
function checkKeys({ entries, span }: ObjectLiteral, folder: Folder, report: Report): void {
  const seen = new Map<string, Span>();
  for (const { key } of entries) {
    if (key.kind === "StringLiteral") {
      const other = seen.get(key.value);
      if (other === undefined) seen.set(key.value, key.span);
      else report("GW3141", key.span, { key: key.value }, { span: other, message: "The other one is here." });
    }
    const absence = absenceOf(key);
    if (absence !== undefined) {
      const text = `object keys must be strings, received: value.${absence === "delete" ? "Delete" : "Nothing"}`;
      report("GW3014", key.span, {
        found: `\`${absence === "delete" ? "deleted" : absence}()\``,
        reference: referenceAt(span, text),
      });
    }
    const folded = folder.fold(key);
    if (folded === undefined || "failure" in folded || typeof folded.value === "string") continue;
    const text = `object keys must be strings, received: ${nativeTypeOf(folded.value)}`;
    report("GW3014", key.span, { found: constantType(folded.value), reference: referenceAt(span, text) });
  }
}

/**
 * Reports an operator that always fails. Operators without brackets between them form one chain, which the reference
 * engine parses as a whole; it reports failures at the start of the chain.
 */
function reportOperator(node: Operator, chainStart: Span, failure: string, report: Report): void {
  report("GW3013", node.span, { failure, reference: referenceAt(chainStart, failure) });
}

/** Reports variables of a text that cannot be read; `judgeRequest` of the scope checks those of requests. */
function checkNamedVariables(
  { parts }: VariableText,
  { judgeRequest }: Pick<MappingScope, "judgeRequest">,
  report: Report,
): void {
  for (const part of parts) {
    if (typeof part === "string") continue;
    if (part.kind === "Unknown") reportUnknownVariable(part, report);
    else if (judgeRequest === undefined) report("GW4381", part.span, { name: printVariable(part) });
    else if (part.kind === "Request") judgeRequest(part);
  }
}

/** Reports variables in names of fields, metadata and maps, where they are not interpolated. */
function checkName({ quoted, span }: Name, report: Report): void {
  if (!quoted) return;
  const { source, start, end } = span;
  const written = source.text.slice(start + 1, end - 1);
  for (const variable of variablesIn(written, source, start + 1)) {
    report("GW4380", variable.span, { name: printVariable(variable), place: "name" });
  }
}

/** Characters that the result of a method cannot contain, by its name. */
const replaced: Readonly<Record<string, RegExp>> = {
  escape_html: /[<>'"]|&(?!(?:amp|lt|gt|#39|#34);)/,
  escape_url_query: /[^A-Za-z0-9\-_.~+%]/,
  escape_url_path: /[\s/?#"<>,;]/,
};

/** Reports a literal with a character that the other side never contains. */
function checkEscapedComparison({ operator, left, right }: Binary, report: Report): void {
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
