// Maps names of functions and methods in other languages to their equivalents in the mapping language.

import type { BuiltinCatalogue } from "./catalogue.ts";

/** The likely meaning of an unknown name: a name of the same kind, or advice if it is written differently. */
export interface NameElsewhere {
  readonly closest?: string;
  readonly advice?: string;
}

/** Methods of the language, with their names in other languages in lower case and without `_`. */
const namesByMethod: Readonly<Record<string, string>> = {
  all: "every",
  any: "some",
  append: "push add",
  capitalize: "title titlecase",
  contains: "includes include",
  exists: "has haskey hasown hasownproperty containskey",
  explode: "unnest",
  filter: "select where",
  find_by: "findindex",
  flatten: "flat flatmap",
  fold: "reduce inject aggregate",
  format_json: "tojson stringify dumps jsonencode",
  has_prefix: "startswith beginswith",
  has_suffix: "endswith",
  key_values: "entries items toentries",
  length: "len size count strlen",
  lowercase: "lower tolower tolowercase downcase asciidowncase lcase",
  map_each: "foreach each collect transform",
  number: "tonumber parseint parsefloat toint tofloat int float atoi num",
  parse_json: "fromjson jsondecode loads",
  parse_timestamp: "todate",
  re_match: "match matches test regex regexmatch",
  re_replace_all: "gsub",
  replace_all: "replaceall",
  slice: "substring substr",
  sort_by: "sortby orderby",
  string: "tostring str text tos",
  ts_format: "toisostring formatdate dateformat",
  ts_strftime: "strftime",
  ts_strptime: "strptime",
  sum: "total",
  ts_unix: "gettime epoch tounix unix",
  trim: "strip trimspace",
  type: "typeof gettype",
  unique: "uniq distinct",
  uppercase: "upper toupper touppercase upcase asciiupcase ucase",
  without: "delete del remove omit unset",
};

const namesByFunction: Readonly<Record<string, string>> = {
  deleted: "delete del remove",
  env: "getenv environ",
  metadata: "getmetadata header headers",
  now: "currenttime currenttimestamp today",
  random_int: "random rand randomint",
  throw: "raise fail panic",
  timestamp_unix: "time timestamp epoch unixtime",
  uuid_v4: "uuid uuid4 uuidv4 randomuuid guid",
};

/** Equivalents of calls that other languages write on a global object. */
const objects: Readonly<Record<string, string>> = {
  "Date.now": "now()",
  "JSON.parse": "value.parse_json()",
  "JSON.stringify": "value.format_json()",
  "Math.abs": "value.abs()",
  "Math.ceil": "value.ceil()",
  "Math.floor": "value.floor()",
  "Math.max": "[a, b].max()",
  "Math.min": "[a, b].min()",
  "Math.random": "random_int()",
  "Math.round": "value.round()",
  "Object.entries": "value.key_values()",
  "Object.keys": "value.keys()",
  "Object.values": "value.values()",
  "crypto.randomUUID": "uuid_v4()",
  "datetime.now": "now()",
  "datetime.utcnow": "now()",
  "json.dumps": "value.format_json()",
  "json.loads": "value.parse_json()",
  "time.now": "now()",
  "time.time": "timestamp_unix()",
  "uuid.uuid4": "uuid_v4()",
};

/** How the language writes methods of other languages for which it has no method. */
const methodAdvice: ReadonlyMap<string, string> = new Map([
  ["first", "Read the first item: `value[0]`."],
  ["head", "Read the first item: `value[0]`."],
  ["in", "Write `[first, second].contains(value)`."],
  ["last", "Read the last item: `value[-1]`."],
]);

const methodElsewhere = inverted(namesByMethod);
const functionElsewhere = inverted(namesByFunction);

function inverted(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([own, names]) => names.split(" ").map((name) => [name, own] as const)),
  );
}

/** Returns the equivalent of an unknown function or method; `undefined` if no known language has that name. */
export function nameElsewhere(
  kind: "function" | "method",
  name: string,
  builtins: Pick<BuiltinCatalogue, "findFunction" | "findMethod">,
): NameElsewhere {
  const plain = name.toLowerCase().replaceAll("_", "");
  const method = builtins.findMethod(name)?.name ?? methodElsewhere.get(plain);
  const called = builtins.findFunction(name)?.name ?? functionElsewhere.get(plain);
  if (kind === "method") {
    const advice = methodAdvice.get(plain);
    if (advice !== undefined) return { advice };
    if (method !== undefined) return { closest: method };
    return called === undefined ? {} : { advice: `Call the function: \`${called}()\`.` };
  }
  if (called !== undefined) return { closest: called };
  return method === undefined ? {} : { advice: `Call the method: \`value.${method}()\`.` };
}

/** Returns the equivalent of calls such as `Date.now()`. */
export function callElsewhere(object: string, method: string): string | undefined {
  const path = `${object}.${method}`;
  return Object.hasOwn(objects, path) ? objects[path] : undefined;
}
