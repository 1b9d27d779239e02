// Resolves one call: finds its builtin and the parameter of each argument. Reports problems at their place; a call with
// a problem is not resolved.

import { resourceSections } from "../../../schemas/catalogue.ts";
import type { Builtin, Parameter } from "../../builtins/builtin.ts";
import type { BuiltinCatalogue } from "../../builtins/catalogue.ts";
import { callElsewhere, nameElsewhere } from "../../builtins/names-elsewhere.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { Argument, Expression, FunctionCall, MethodCall, Name } from "../../trees/mapping.ts";
import { checkFile, checkVariable } from "../document/tenant.ts";
import { argumentChecks, argumentNames, plainHashes } from "./arguments/rules.ts";
import { checkChoices } from "./bare-words.ts";
import type { CheckedCall, Evaluated, MappingScope } from "./checked.ts";
import type { KnownArguments } from "./constant.ts";
import { type ConstantValue, constantType, shownValue } from "./constant.ts";
import { absenceOf, type Folder } from "./fold.ts";
import { checkFormat, checkLayout, checkOrder, checkReplacement } from "./layouts.ts";
import { referenceAfter } from "./reference.ts";

type CallNode = FunctionCall | MethodCall;

/** The data for checking calls. */
export interface CallScope
  extends Pick<MappingScope, "caches" | "evaluate" | "findNestedFault" | "misdeclared" | "tenant"> {
  readonly folder: Folder;
  readonly allowed: ReadonlySet<string>;
  readonly builtins: BuiltinCatalogue;
}

/** Returns the builtin and positional arguments of a call; `undefined` after reporting a problem. */
export function resolveCall(call: CallNode, scope: CallScope, report: Report): CheckedCall | undefined {
  const { folder, allowed, builtins, caches, misdeclared, tenant } = scope;
  const builtin = findBuiltin(call, builtins, report);
  if (builtin === undefined) return undefined;
  if (builtin.capability === "compiler" && !allowed.has(builtin.name))
    return reportUnsupported(call, "a compiler in the gateway", report);
  // Reading the names of machines and variables needs no permission; only files do.
  if (builtin.capability === "files" && !allowed.has(builtin.name)) {
    report("GW3016", call.name.span, { name: builtin.name });
    return undefined;
  }
  const args = builtin.variadic ? call.args.map((arg) => arg.value) : arrange(call, builtin, report);
  if (args === undefined) return undefined;
  const fitting = args.map((arg, index) => {
    const parameter = builtin.parameters[index];
    return arg === undefined || parameter === undefined || checkType(call, parameter, arg, folder, report);
  });
  // As in the reference engine, a wrong type is reported before missing or unknown arguments.
  if (!builtin.variadic && !checkPresence(call, builtin, args, report)) return undefined;
  if (!checkReads(call, builtin, args, { folder, tenant }, report)) return undefined;
  if (builtin.needs === "cache" && !checkCache(call, args, { caches, misdeclared }, report)) return undefined;
  if (!checkVariadic(call, builtin, args, folder, report)) return undefined;
  checkLayout(call, args[0], report);
  checkFormat(call, report);
  checkOrder(call, args[0], report);
  checkReplacement(call, args, report);
  checkSecrets(builtin, args, folder, report);
  const ready = fitting.every(Boolean) && checkRule(call, builtin, args, scope, report);
  return ready ? { builtin, args } : undefined;
}

/** Checks the variables and files that a call reads: never those of the gateway; for an organisation, only its own. */
function checkReads(
  call: CallNode,
  { name, capability, parameters }: Builtin,
  args: readonly (Expression | undefined)[],
  { folder, tenant }: Pick<CallScope, "folder" | "tenant">,
  report: Report,
): boolean {
  const isFile = capability === "files";
  if (name !== "env" && !(isFile && tenant !== undefined)) return true;
  const arg = args[parameters.findIndex((each) => each.name === (isFile ? "path" : "name"))];
  const folded = arg && folder.fold(arg);
  const read = folded !== undefined && "value" in folded ? folded.value : undefined;
  const { span } = arg ?? call;
  if (typeof read !== "string") {
    if (tenant !== undefined) report("GW4333", span, { name, organisation: tenant.organisation });
    return tenant === undefined;
  }
  return isFile && tenant !== undefined
    ? checkFile(read, span, tenant, report)
    : checkVariable(read, span, tenant, report);
}

/** Reports keys that are written in the mapping; unresolved environment references have a diagnostic of their own. */
function checkSecrets(
  { name, parameters, rule }: Builtin,
  args: readonly (Expression | undefined)[],
  folder: Folder,
  report: Report,
): void {
  const constantOf = (expression: Expression) => {
    const folded = folder.fold(expression);
    return folded !== undefined && "value" in folded ? folded.value : undefined;
  };
  const isConstant = (expression: Expression) => constantOf(expression) !== undefined;
  const algorithm = rule === "hash" && args[0] !== undefined ? constantOf(args[0]) : undefined;
  if (typeof algorithm === "string" && plainHashes.has(algorithm)) return;
  for (const [index, { name: field, secret = false }] of parameters.entries()) {
    const arg = secret ? args[index] : undefined;
    let written = arg;
    // `"…".decode("hex")`
    while (written?.kind === "MethodCall" && written.args.every(({ value }) => isConstant(value)))
      written = written.receiver;
    const value = written && constantOf(written);
    if (arg === undefined || value === undefined || value === null || value === "") continue;
    if (typeof value !== "string" || !value.includes("${"))
      report("GW4081", arg.span, { field: `${field} of ${name}`, variable: field.toUpperCase(), call: true });
  }
}

/** Checks that a call with only known arguments can work. */
function checkRule(
  call: CallNode,
  builtin: Builtin,
  args: readonly (Expression | undefined)[],
  { folder, evaluate, findNestedFault }: CallScope,
  report: Report,
): boolean {
  checkChoices(builtin, args, report);
  const known = builtin.rule === undefined ? undefined : knownArguments(builtin, args, folder);
  if (builtin.rule === undefined || known === undefined) return true;
  const failure =
    builtin.rule === "evaluated"
      ? failureOf(evaluate?.method(builtin, null, known))
      : builtin.rule === "mapping"
        ? findNestedFault?.(String(known[0]))
        : argumentChecks[builtin.rule](known);
  if (failure === undefined) return true;
  const reference = referenceAfter(call.span, failure);
  const [value] = known;
  const names = argumentNames[builtin.rule];
  const meant = typeof value === "string" && names !== undefined ? { value, ...nearest(value, names) } : {};
  report("GW3015", (call.args[0] ?? call).span, { name: builtin.name, failure, reference, ...meant });
  return false;
}

function failureOf(evaluated: Evaluated | undefined): string | undefined {
  return evaluated !== undefined && "failure" in evaluated ? evaluated.failure : undefined;
}

/** Returns all arguments with defaults filled in; `undefined` if one is known only at run time. */
function knownArguments(
  builtin: Builtin,
  args: readonly (Expression | undefined)[],
  folder: Folder,
): KnownArguments | undefined {
  const known: (ConstantValue | undefined)[] = [];
  for (const [index, parameter] of builtin.parameters.entries()) {
    const arg = args[index];
    const folded = arg === undefined || parameter.query !== undefined ? undefined : folder.fold(arg);
    if (arg === undefined || parameter.query !== undefined) known.push(parameter.default);
    else if (folded === undefined || "failure" in folded) return undefined;
    else known.push(folded.value);
  }
  return known;
}

function findBuiltin(call: CallNode, builtins: BuiltinCatalogue, report: Report): Builtin | undefined {
  const name = call.name.text;
  const isMethod = call.kind === "MethodCall";
  const builtin = isMethod ? builtins.findMethod(name) : builtins.findFunction(name);
  if (builtins.isPartial) return builtin;
  const kind = isMethod ? "method" : "function";
  const reference = () => referenceAfter(call.span, `unrecognised ${kind} '${name}'`);
  const object = isMethod ? objectOf(call) : undefined;
  const written = object && callElsewhere(object.text, name);
  // A field may be named `Math` and have a method such as `round` called on it.
  if (object !== undefined && written !== undefined && (builtin === undefined || call.args.length > 0)) {
    const span = { ...object.span, end: call.name.span.end };
    const advice = `Write \`${written}\`.`;
    report("GW3003", span, { name: `${object.text}.${name}`, advice, reference: reference() });
    return undefined;
  }
  if (builtin !== undefined) return builtin;
  const elsewhere = nameElsewhere(kind, name, builtins);
  const near = nearest(name, builtins.names(kind));
  const details =
    near.respelling === "sure" || (elsewhere.closest ?? elsewhere.advice) === undefined
      ? near
      : { respelling: "unsure" as const, closest: undefined, ...elsewhere };
  report(isMethod ? "GW3004" : "GW3003", call.name.span, { name, ...details, reference: reference() });
  return undefined;
}

/** Returns `Date` of `Date.now()`, if it is a single word. */
function objectOf({ receiver }: MethodCall): Name | undefined {
  const isAlone = receiver.kind === "FieldAccess" && receiver.receiver.kind === "This";
  return isAlone && receiver.receiver.implicit ? receiver.name : undefined;
}

/** Checks that the cache that a call names exists and answers synchronously. */
function checkCache(
  call: CallNode,
  [label]: readonly (Expression | undefined)[],
  { caches, misdeclared }: Pick<MappingScope, "caches" | "misdeclared">,
  report: Report,
): boolean {
  if (caches === undefined) {
    reportUnsupported(call, "the caches of a stream", report);
    return false;
  }
  // A label that is not text is already reported.
  if (label?.kind !== "StringLiteral") return true;
  const cache = caches.get(label.value);
  if (cache === undefined) {
    const near = nearest(label.value, caches.keys());
    if (misdeclared?.has("cache", label.value, near.closest !== undefined) === true) return false;
    report("GW4142", label.span, {
      role: "cache",
      label: label.value,
      section: resourceSections.cache,
      ...near,
    });
  } else if (!cache.isSync) {
    report("GW4147", label.span, { name: call.name.text, label: label.value, kind: cache.name });
  }
  return cache?.isSync === true;
}

function reportUnsupported(call: CallNode, lacks: string, report: Report): undefined {
  const name = call.name.text;
  const kind = call.kind === "MethodCall" ? "method" : "function";
  const reference = referenceAfter(call.span, `unrecognised ${kind} '${name}'`);
  report("GW3017", call.name.span, { name, lacks, reference });
}

/**
 * Returns the argument of each parameter, by position or by name; `undefined` after reporting that there are too many.
 */
function arrange(
  call: CallNode,
  { parameters }: Builtin,
  report: Report,
): readonly (Expression | undefined)[] | undefined {
  const named = isNamed(call);
  if (!named && call.args.length > parameters.length) return reportExtra(call, parameters, report);
  return parameters.map((parameter, index) => {
    const arg = named ? findNamed(call.args, parameter.name) : call.args[index];
    return arg?.value;
  });
}

function isNamed(call: CallNode): boolean {
  return call.args.some((arg) => arg.name !== undefined);
}

/** Checks that every name belongs to a parameter, and that every required parameter has an argument. */
function checkPresence(
  call: CallNode,
  { parameters }: Builtin,
  args: readonly (Expression | undefined)[],
  report: Report,
): boolean {
  if (isNamed(call) && !checkNames(call, parameters, report)) return false;
  const missing = parameters.filter(
    (parameter, index) => !isOptional(parameter) && args[index] === undefined,
  );
  if (missing.length === 0) return true;
  const names = missing.map((parameter) => parameter.name);
  const text = `missing parameter${names.length > 1 ? "s" : ""}: ${names.join(", ")}`;
  report("GW3005", call.name.span, {
    name: call.name.text,
    names,
    reference: referenceAfter(call.span, text),
  });
  return false;
}

function isOptional(parameter: Parameter): boolean {
  return parameter.optional === true || parameter.default !== undefined;
}

function findNamed(args: readonly Argument[], name: string): Argument | undefined {
  return args.find((arg) => arg.name?.text === name);
}

function reportExtra(call: CallNode, parameters: readonly Parameter[], report: Report): undefined {
  const [expected, found] = [parameters.length, call.args.length];
  const reference = referenceAfter(
    call.span,
    `wrong number of arguments, expected ${expected}, got ${found}`,
  );
  const extra = call.args[expected] ?? call;
  report("GW3006", extra.span, { name: call.name.text, expected, found, reference });
}

function checkNames(call: CallNode, parameters: readonly Parameter[], report: Report): boolean {
  const known = parameters.map((parameter) => parameter.name);
  const given = new Set(call.args.flatMap((arg) => arg.name?.text ?? []));
  const unknown = call.args.filter((arg) => arg.name !== undefined && !known.includes(arg.name.text));
  const missing = parameters.filter((each) => !isOptional(each) && !given.has(each.name));
  const reference = referenceAfter(call.span, unknownText(unknown, missing));
  for (const arg of unknown) {
    const name = arg.name?.text ?? "";
    const { closest, respelling } = nearest(name, known, given);
    report("GW3007", (arg.name ?? arg).span, {
      name,
      builtin: call.name.text,
      parameters: known,
      closest,
      respelling,
      reference,
    });
  }
  return unknown.length === 0;
}

/** Returns the message of the reference engine, which suggests the missing parameters. */
function unknownText(unknown: readonly Argument[], missing: readonly Parameter[]): string {
  const names = unknown.flatMap((arg) => arg.name?.text ?? []).toSorted();
  const [only, ...others] = missing.map(({ name }) => name);
  const meant =
    others.length === 0 ? `, did you mean ${only}?` : `, expected ${[only, ...others].join(", ")}`;
  return `unknown parameter${names.length > 1 ? "s" : ""} ${names.join(", ")}${only === undefined ? "" : meant}`;
}

/** Types of parameters that literals are checked against; other types accept any literal. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  string: ["string"],
  integer: ["number"],
  float: ["number"],
  bool: ["bool", "number"],
  array: ["array"],
  object: ["object"],
};

function checkType(
  call: CallNode,
  parameter: Parameter,
  arg: Expression,
  folder: Folder,
  report: Report,
): boolean {
  const folded = folder.fold(arg);
  if (parameter.literal === true && folded === undefined) return reportDynamic(call, parameter, arg, report);
  const isChecked = parameter.query === undefined && parameter.late !== true;
  const accepted = isChecked ? wanted[parameter.type] : undefined;
  // `deleted()` and `nothing()` fit no typed parameter.
  const absence = absenceOf(arg);
  if (accepted === undefined || folded === undefined || "failure" in folded) {
    if (accepted === undefined || absence === undefined) return true;
  }
  const found =
    absence ?? (folded !== undefined && "value" in folded ? constantType(folded.value) : "unknown");
  if (accepted.includes(found)) return true;
  const expected = accepted[0] ?? parameter.type;
  const value = folded !== undefined && "value" in folded ? shownValue(folded.value) : "";
  const text = ["string", "array", "object"].includes(parameter.type)
    ? `wrong argument type, expected ${expected}, got ${found}`
    : `expected ${expected} value, got ${found}${value}`;
  const reference = referenceAfter(call.span, `field ${parameter.name}: ${text}`);
  const advice = adviseArgument(call, arg, expected, found);
  report("GW3008", arg.span, { parameter: parameter.name, expected, found, advice, reference });
  return false;
}

/** Returns what to write instead of a constant of a wrong type. */
function adviseArgument(
  { kind, name: { text: name } }: CallNode,
  { span: { source, start, end } }: Expression,
  expected: string,
  found: string,
): string | undefined {
  const written = source.text.slice(start, end);
  const [isMethod, inside] = [kind === "MethodCall", written.slice(1, -1)];
  if (isMethod && name === "get" && found === "number") return `Read an element with \`.index(${written})\`.`;
  if (isMethod && name === "index" && found === "string") return `Read a field with \`.get(${written})\`.`;
  if (expected === "string" && (found === "number" || found === "bool")) return `Quote it: \`"${written}"\`.`;
  const isUnquoted =
    expected === "number" ? /^-?\d+(?:\.\d+)?$/.test(inside) : /^(?:true|false)$/.test(inside);
  if (found === "string" && (expected === "number" || expected === "bool") && isUnquoted)
    return `Remove the quotes: \`${inside}\`.`;
  return expected === "array" && found === "string" ? `Write an array: \`[${written}]\`.` : undefined;
}

/** Checks that the arguments of a variadic builtin have no names, and that the known ones have its type. */
function checkVariadic(
  call: CallNode,
  builtin: Builtin,
  args: readonly (Expression | undefined)[],
  folder: Folder,
  report: Report,
): boolean {
  const { variadic, variadicType: type } = builtin;
  if (!variadic) return true;
  if (isNamed(call)) return reportNamed(call, report);
  if (type !== "string" && type !== "array") return true;
  const values = args.map((arg) => (arg === undefined ? undefined : folder.fold(arg)));
  const known = values.flatMap((folded) => (folded !== undefined && "value" in folded ? [folded.value] : []));
  if (known.length < args.length) return true;
  const index = known.findIndex((value) => constantType(value) !== type);
  const value = known[index];
  if (value === undefined) return true;
  const place = type === "string" ? `argument ${index}: ` : "";
  const failure = `${place}expected ${type} value, got ${constantType(value)}${shownValue(value)}`;
  const reference = referenceAfter(call.span, failure);
  report("GW3015", (args[index] ?? call).span, { name: builtin.name, failure, reference });
  return false;
}

/** Reports each name of an argument: the parameters of a variadic builtin have none. */
function reportNamed(call: CallNode, report: Report): false {
  const reference = referenceAfter(call.span, "named arguments are not supported");
  for (const { name } of call.args) {
    if (name === undefined) continue;
    const builtin = call.name.text;
    report("GW3007", name.span, {
      name: name.text,
      builtin,
      parameters: [],
      closest: undefined,
      respelling: "unsure",
      reference,
    });
  }
  return false;
}

function reportDynamic(call: CallNode, { name }: Parameter, arg: Expression, report: Report): false {
  const failure = `param ${name} must not be dynamic`;
  const reference = referenceAfter(call.span, failure);
  report("GW3015", arg.span, { name: call.name.text, failure, reference });
  return false;
}
