// Resolves one call: finds its builtin and the parameter of each argument. Reports problems at their place; a call with
// a problem is not resolved.

import { resourceSections } from "../../../schemas/catalogue.ts";
import type { Builtin } from "../../builtins/builtin.ts";
import type { BuiltinCatalogue } from "../../builtins/catalogue.ts";
import { callElsewhere, nameElsewhere } from "../../builtins/names-elsewhere.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type { CallNode, Expression, MethodCall, Name } from "../../trees/mapping.ts";
import { checkFile, checkVariable } from "../document/tenant.ts";
import { arrangeArguments, checkPresence, checkType, checkVariadic } from "./arguments/parameters.ts";
import { argumentChecks, argumentNames, plainHashes } from "./arguments/rules.ts";
import { checkChoices } from "./bare-words.ts";
import type { CheckedCall, Evaluated, MappingScope } from "./checked.ts";
import type { ConstantValue, KnownArguments } from "./constant.ts";
import type { Folder } from "./fold.ts";
import { checkFormat, checkLayout, checkOrder, checkReplacement } from "./layouts.ts";
import { referenceAfter } from "./reference.ts";

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
  const args = builtin.variadic ? call.args.map((arg) => arg.value) : arrangeArguments(call, builtin, report);
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
