// Generates mappings as text from the grammar and the catalogue of builtins. Most of them compile, so the campaigns
// also test running them. test/parse generates trees from the grammar alone, with unknown names.

import fc from "fast-check";
import type { Builtin, Parameter } from "../../compiler/builtins/builtin.ts";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { operators } from "../../compiler/parse/mapping/expressions.ts";
import { sources } from "./messages.ts";

/** Whole mappings: a few statements, sometimes with a map that they apply. */
export function arbitraryMapping(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.boolean(), fc.array(statement, { minLength: 1, maxLength: 4 }))
    .map(([hasMap, lines]) => [...(hasMap ? [namedMap] : []), "let v = this.n", ...lines].join("\n"));
}

/** Strings with queries in them. */
export function arbitraryTemplate(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom("a", "$", "{", "}", "${!", "${!a}", "é", "\n"),
    // Templates have no variables, and a line break ends a query in a template.
    arbitraryQuery().map((query) => `\${! ${query.replaceAll("$v", "this").replaceAll("\n", " ")} }`),
  );
  return fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(""));
}

/** Bare queries. */
export function arbitraryQuery(): fc.Arbitrary<string> {
  return queries.query;
}

const namedMap = "map twice {\n  root = [this, this]\n}";

/** Builtins that compare passwords take as long as the hash demands, in the reference engine as well. */
const leftOut = /^(compare_|bcrypt|argon2)/;
const builtins = coreBuiltins.builtins.filter(({ name }) => !leftOut.test(name));
const functions = builtins.filter(({ kind }) => kind === "function");
const methods = builtins.filter(({ kind }) => kind === "method");

const texts = [
  ...[
    "",
    "a",
    ",",
    "b",
    "x y",
    "é",
    "key",
    "%v %d",
    "$.a[*]",
    "a.b",
    "[a-z]+",
    "(a*)*b",
    "2006-01-02",
    "%Y-%m-%d",
  ],
  ...[
    "base64",
    "hex",
    "gzip",
    "zlib",
    "lz4",
    "snappy",
    "sha256",
    "md5",
    "HS256",
    "UTC",
    "Europe/Berlin",
    "1h30m",
  ],
  ...["alphabetical", "Asia/Nowhere", "P1DT2H", "0123456789abcdef", "ascii85", "pgzip", "email", "__proto__"],
].map((text) => JSON.stringify(text));
const integers = ["0", "1", "2", "-1", "3", "64", "1000", "-9223372036854775808", "9223372036854775807"];
const floats = ["0.5", "-1.5", "2.0", "1000000000.0"];

const queries = fc.letrec<Record<"query" | "value" | "call" | "chain" | "compound" | "branching", string>>(
  (tie) => {
    const query = tie("query");
    const argument = (parameter: Parameter): fc.Arbitrary<string> =>
      fc.oneof({ weight: 5, arbitrary: fitting(parameter, query) }, { weight: 1, arbitrary: query });
    const call = (name: string, builtin: Builtin) =>
      argumentsOf(builtin, argument).map((list) => `${name}(${list})`);
    const list = fc.array(query, { maxLength: 3 });
    return {
      query: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        tie("value"),
        tie("chain"),
        tie("call"),
        tie("compound"),
        tie("branching"),
      ),
      value: fc.oneof(...Object.values(sources).map((list) => fc.constantFrom(...list))),
      call: fc.constantFrom(...functions).chain((builtin) => call(builtin.name, builtin)),
      chain: fc
        .constantFrom(...methods)
        .chain((builtin) =>
          fc
            .tuple(receiver(builtin, tie("chain")), call(builtin.name, builtin))
            .map((parts) => parts.join(".")),
        ),
      compound: fc.oneof(
        fc
          .tuple(query, fc.constantFrom(...operators), query)
          .map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
        query.map((inner) => `!(${inner})`),
        query.map((inner) => `-(${inner})`),
        list.map((items) => `[${items.join(", ")}]`),
        list.map((items) => `{${items.map((item, at) => `"k${at}": ${item}`).join(", ")}}`),
        fc.tuple(query, query).map(([key, value]) => `{(${key}): ${value}}`),
        fc.tuple(query, query).map(([target, body]) => `(${target}).(it -> ${body})`),
        fc.tuple(query, query).map(([target, index]) => `(${target})[${index}]`),
        fc.tuple(query, query, query).map(([target, from, to]) => `(${target})[${from}:${to}]`),
        query.map((inner) => `(${inner}).apply("twice")`),
      ),
      branching: fc.oneof(
        fc.tuple(query, query, query).map(([test, yes, no]) => `if ${test} { ${yes} } else { ${no} }`),
        fc.tuple(query, query).map(([test, yes]) => `if ${test} { ${yes} }`),
        fc.tuple(query, query, query, query).map(([subject, pattern, a, b]) => {
          return `match ${subject} { ${pattern} => ${a}, this == 1 => ${b}, _ => this }`;
        }),
      ),
    };
  },
);

/** A target of a type that the method accepts, the result of another method, or any value. */
function receiver({ targets }: Builtin, chain: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const kinds = targets.length === 0 ? Object.keys(sources) : targets;
  const fit = kinds.flatMap((kind) => sources[kind] ?? []);
  const any = Object.values(sources).flat();
  // Without parentheses, a sign or an operator before a method would bind differently.
  const grouped = (list: readonly string[]) => fc.constantFrom(...list).map((text) => `(${text})`);
  return fc.oneof(
    { depthSize: "small" },
    { weight: 5, arbitrary: grouped(fit.length === 0 ? any : fit) },
    { weight: 1, arbitrary: grouped(any) },
    { weight: 1, arbitrary: chain },
  );
}

function argumentsOf(
  builtin: Builtin,
  argument: (parameter: Parameter) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const { parameters, variadic } = builtin;
  const isRequired = (parameter: Parameter) => parameter.optional !== true && parameter.default === undefined;
  const required = parameters.filter(isRequired).length;
  const [first] = parameters;
  if (variadic) {
    const any: Parameter = first ?? { name: "", type: "any" };
    return fc.array(argument(any), { maxLength: 3 }).map((list) => list.join(", "));
  }
  return fc
    .tuple(fc.integer({ min: required, max: parameters.length }), fc.tuple(...parameters.map(argument)))
    .map(([count, list]) => list.slice(0, count).join(", "));
}

function fitting({ type, query: context }: Parameter, query: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (context !== undefined) {
    return fc.oneof(
      query,
      query.map((body) => `it -> ${body}`),
      query.map(() => "it -> it"),
      fc.constant("this > 1"),
    );
  }
  switch (type) {
    case "string":
      return fc.constantFrom(...texts);
    case "integer":
      return fc.constantFrom(...integers);
    case "float":
      return fc.constantFrom(...floats, ...integers);
    case "bool":
      return fc.constantFrom("true", "false");
    default:
      return fc.oneof(
        fc.constantFrom(...(sources[type] ?? Object.values(sources).flat())),
        fc.constantFrom(...texts),
      );
  }
}

const statement = fc.oneof(
  queries.query.map((query) => `root = ${query}`),
  fc
    .tuple(fc.constantFrom("a", "a.b", "list.0", '"x y".z', "__proto__.a"), queries.query)
    .map(([path, query]) => `root.${path} = ${query}`),
  queries.query.map((query) => `let v = ${query}`),
  queries.query.map((query) => `meta key = ${query}`),
  fc.tuple(queries.query, queries.query).map(([test, query]) => `if ${test} {\n  root.c = ${query}\n}`),
);
