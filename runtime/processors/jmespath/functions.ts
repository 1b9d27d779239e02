// The functions of JMESPath, with the types of their arguments.

import { MappingError } from "../../errors.ts";
import { findText } from "../../text/search.ts";
import { add } from "../jq/operators.ts";
import { Run } from "../jq/run.ts";
import {
  compare,
  fieldOf,
  isList,
  isNumeric,
  isRecord,
  type JqValue,
  keysOf,
  numberOf,
  printJq,
  recordOf,
  typeOf,
} from "../jq/values.ts";

/** An argument. For `&expression`, the function receives the expression itself. */
export interface FunctionArgument<E> {
  readonly isReference: boolean;
  readonly expression: E;
}

type Evaluate = (value: JqValue) => JqValue;

interface FunctionShape {
  /** The types of the arguments, separated by `|`; `&` is a reference. The last argument may repeat. */
  readonly takes: readonly string[];
  readonly repeats?: true;
  readonly run: (args: readonly JqValue[], reference: Evaluate) => JqValue;
}

const noReference: Evaluate = (value) => value;

/** Adds numbers without a limit: a sum takes as many steps as there are elements. */
function total(numbers: readonly JqValue[]): JqValue {
  const run = new Run("jmespath: a sum", Number.MAX_SAFE_INTEGER);
  return numbers.reduce((sum, each) => add(sum, each, run), 0);
}

const functions: Readonly<Record<string, FunctionShape>> = {
  abs: { takes: ["number"], run: ([x = null]) => (isNumeric(x) && x < 0 ? -x : x) },
  avg: {
    takes: ["array[number]"],
    run: ([list = []]) => (isList(list) && list.length > 0 ? Number(total(list)) / list.length : null),
  },
  ceil: { takes: ["number"], run: ([x = null]) => (typeof x === "number" ? Math.ceil(x) : x) },
  contains: {
    takes: ["array|string", "any"],
    run: ([whole = null, part = null]) => {
      if (isList(whole)) return whole.some((each) => compare(each, part) === 0);
      return typeof whole === "string" && typeof part === "string" && findText(whole, part) >= 0;
    },
  },
  ends_with: { takes: ["string", "string"], run: ([text, end]) => String(text).endsWith(String(end)) },
  floor: { takes: ["number"], run: ([x = null]) => (typeof x === "number" ? Math.floor(x) : x) },
  join: {
    takes: ["string", "array[string]"],
    run: ([separator, list]) =>
      isList(list ?? null) ? (list as readonly string[]).join(String(separator)) : null,
  },
  keys: { takes: ["object"], run: ([object = null]) => (isRecord(object) ? keysOf(object) : null) },
  length: {
    takes: ["string|array|object"],
    run: ([value = null]) => {
      if (typeof value === "string") return [...value].length;
      return isList(value) ? value.length : Object.keys(value ?? {}).length;
    },
  },
  map: {
    takes: ["&", "array"],
    run: ([list = []], reference) => (isList(list) ? list.map(reference) : null),
  },
  max: { takes: ["array[number]|array[string]"], run: ([list = []]) => extreme(list, noReference, 1) },
  max_by: { takes: ["array", "&"], run: ([list = []], reference) => extreme(list, keyed(reference), 1) },
  merge: {
    takes: ["object"],
    repeats: true,
    run: (objects) => recordOf(objects.flatMap((each) => (isRecord(each) ? Object.entries(each) : []))),
  },
  min: { takes: ["array[number]|array[string]"], run: ([list = []]) => extreme(list, noReference, -1) },
  min_by: { takes: ["array", "&"], run: ([list = []], reference) => extreme(list, keyed(reference), -1) },
  not_null: { takes: ["any"], repeats: true, run: (values) => values.find((each) => each !== null) ?? null },
  reverse: {
    takes: ["array|string"],
    run: ([value = null]) => (isList(value) ? value.toReversed() : [...String(value)].reverse().join("")),
  },
  sort: {
    takes: ["array[number]|array[string]"],
    run: ([list = []]) => (isList(list) ? [...list].sort(compare) : null),
  },
  sort_by: {
    takes: ["array", "&"],
    run: ([list = []], reference) => {
      if (!isList(list)) return null;
      const key = keyed(reference);
      const pairs = list.map((each) => [key(each), each] as const);
      return pairs.sort(([a], [b]) => compare(a, b)).map(([, each]) => each);
    },
  },
  starts_with: {
    takes: ["string", "string"],
    run: ([text, start]) => String(text).startsWith(String(start)),
  },
  sum: { takes: ["array[number]"], run: ([list = []]) => (isList(list) ? total(list) : null) },
  to_array: { takes: ["any"], run: ([value = null]) => (isList(value) ? value : [value]) },
  to_number: {
    takes: ["any"],
    run: ([value = null]) => {
      if (isNumeric(value)) return value;
      const isNumber =
        typeof value === "string" &&
        /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(value);
      const number = isNumber ? numberOf(value) : null;
      return Math.abs(Number(number)) === Number.POSITIVE_INFINITY ? null : number;
    },
  },
  to_string: {
    takes: ["any"],
    run: ([value = null]) => (typeof value === "string" ? value : printJq(value)),
  },
  type: { takes: ["any"], run: ([value = null]) => typeOf(value) },
  values: {
    takes: ["object"],
    run: ([object = null]) => (isRecord(object) ? keysOf(object).map((key) => fieldOf(object, key)) : null),
  },
};

/** Returns a function call, or the reason why it is invalid. */
export function callFunction(name: string, args: readonly FunctionArgument<Evaluate>[]): Evaluate | string {
  const shape = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (shape === undefined) return `unknown function \`${name}\``;
  const { takes, repeats, run } = shape;
  if (args.length < takes.length || (args.length > takes.length && repeats !== true))
    return `\`${name}\` takes ${takes.length} arguments, got ${args.length}`;
  const wrong = args.findIndex(({ isReference }, index) => isReference !== (takes[index] === "&"));
  if (wrong >= 0)
    return `argument ${wrong + 1} of \`${name}\` ${takes[wrong] === "&" ? "is" : "is not"} a reference (\`&\`)`;
  const reference = args.find(({ isReference }) => isReference)?.expression ?? noReference;
  return (value) => {
    const given = args.flatMap(({ isReference, expression }, index) => {
      if (isReference) return [];
      const result = expression(value);
      const type = takes[Math.min(index, takes.length - 1)] ?? "any";
      if (!type.split("|").some((each) => isOf(result, each)))
        throw new MappingError(
          `jmespath: argument ${index + 1} of \`${name}\` has to be ${type.replaceAll("|", " or ")}, got ${typeOf(result)}`,
        );
      return [result];
    });
    return run(given, reference);
  };
}

function isOf(value: JqValue, type: string): boolean {
  if (type === "any") return true;
  if (type.startsWith("array["))
    return isList(value) && value.every((each) => typeOf(each) === type.slice(6, -1));
  return typeOf(value) === type;
}

function extreme(list: JqValue, key: Evaluate, sign: 1 | -1): JqValue {
  if (!isList(list)) return null;
  const [first = null, ...others] = list;
  return others.reduce((found, each) => (compare(key(each), key(found)) * sign > 0 ? each : found), first);
}

/** Returns the keys by which elements are compared. All keys must be numbers, or all must be texts. */
function keyed(reference: Evaluate): Evaluate {
  let type: string | undefined;
  return (element) => {
    const key = reference(element);
    const own = typeOf(key);
    if ((own !== "number" && own !== "string") || (type !== undefined && own !== type))
      throw new MappingError(`jmespath: elements are compared by numbers or by texts, got ${own}`);
    type = own;
    return key;
  };
}
