// Matches the arguments of a call to the parameters of its builtin: by position or by name, all that are required, and
// known ones of the right type.

import type { Builtin, Parameter } from "../../../builtins/builtin.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { Argument, CallNode, Expression } from "../../../trees/mapping.ts";
import { constantType, shownValue } from "../constant.ts";
import { absenceOf, type Folder } from "../fold.ts";
import { referenceAfter } from "../reference.ts";

/**
 * Returns the argument of each parameter, by position or by name; `undefined` after reporting that there are too many.
 */
export function arrangeArguments(
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
export function checkPresence(
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

/** Checks the type of an argument that is known, and that it is known if its parameter takes a constant. */
export function checkType(
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
export function checkVariadic(
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
  const known = args.flatMap((arg) => (arg === undefined ? [] : (shownType(arg, folder) ?? [])));
  if (known.length < args.length) return true;
  const index = known.findIndex((each) => each.type !== type);
  const wrong = known[index];
  if (wrong === undefined) return true;
  const place = type === "string" ? `argument ${index}: ` : "";
  const failure = `${place}expected ${type} value, got ${wrong.type}${wrong.shown}`;
  const reference = referenceAfter(call.span, failure);
  report("GW3015", (args[index] ?? call).span, { name: builtin.name, failure, reference });
  return false;
}

/** Returns the type of a known argument, an absence included, and its value for errors. */
function shownType(arg: Expression, folder: Folder): { type: string; shown: string } | undefined {
  const absence = absenceOf(arg);
  if (absence !== undefined) return { type: absence, shown: "" };
  const folded = folder.fold(arg);
  if (folded === undefined || "failure" in folded) return undefined;
  return { type: constantType(folded.value), shown: shownValue(folded.value) };
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
