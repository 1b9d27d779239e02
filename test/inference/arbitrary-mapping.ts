import fc from "fast-check";

/** Where a query stands decides what it can read. */
interface Tie {
  readonly query: string;
  readonly condition: string;
  readonly path: string;
}

const field = fc.constantFrom("a", "b", "c");
const literal = fc.constantFrom(
  "null",
  "true",
  "false",
  "0",
  "1",
  "2.5",
  '"x"',
  '"y"',
  '"1"',
  "[]",
  "{}",
  '["x"]',
);
const fallback = fc.constantFrom(".or", ".catch", ".not_null().catch", ".not_null().or");
const typeName = fc.constantFrom("string", "number", "bool", "null", "array", "object");

/** One of these; the first of them are the small ones. */
function either(...options: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.oneof({ depthSize: "small", withCrossShrink: true }, ...options);
}

/** Queries, over the names and values of arbitrary types. */
const queries = fc.letrec<Tie>((tie: fc.LetrecTypedTie<Tie>) => {
  const query = tie("query");
  const two: fc.Arbitrary<readonly [string, string]> = fc.tuple(query, query);
  return {
    path: either(
      field.map((name) => `this.${name}`),
      fc
        .tuple(tie("path"), fc.oneof(field, fc.constantFrom("0", '"*"')))
        .map(([path, name]) => `${path}.${name}`),
      fc.constantFrom("$v", "$w", "root.a", "root.b", "@k", "this"),
    ),
    condition: either(
      fc
        .tuple(tie("path"), fc.constantFrom("==", "!="), literal)
        .map(([path, operator, value]) => `${path} ${operator} ${value}`),
      fc.tuple(tie("path"), typeName).map(([path, name]) => `${path}.type() == "${name}"`),
      fc.tuple(tie("path"), field).map(([path, name]) => `${path}.exists("${name}")`),
      tie("path").map((path) => `["x", "y", 1].contains(${path})`),
      fc
        .tuple(tie("path"), fallback, literal, fc.constantFrom("==", "!="), literal)
        .map(([path, method, other, operator, value]) => `${path}${method}(${other}) ${operator} ${value}`),
      fc.tuple(tie("path"), fc.constantFrom("<", ">=")).map(([path, operator]) => `${path} ${operator} 1`),
      fc
        .tuple(tie("condition"), fc.constantFrom("&&", "||"), tie("condition"))
        .map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
      tie("condition").map((condition) => `!(${condition})`),
      tie("path"),
    ),
    query: either(
      tie("path"),
      literal,
      fc
        .tuple(query, fc.constantFrom("+", "-", "*", "/", "%", "|", "|", "==", "<"), query)
        .map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
      tie("condition"),
      fc
        .tuple(tie("condition"), query, query)
        .map(([condition, a, b]) => `if ${condition} { ${a} } else { ${b} }`),
      fc.tuple(tie("condition"), query).map(([condition, a]) => `if ${condition} { ${a} }`),
      fc
        .tuple(tie("path"), literal, query, tie("condition"), query)
        .map(
          ([subject, value, a, condition, b]) =>
            `match ${subject} { ${value} => ${a}, ${condition} => ${b}, _ => this }`,
        ),
      fc.tuple(tie("path"), query).map(([path, body]) => `${path}.(${body})`),
      fc.tuple(tie("path"), query).map(([path, body]) => `${path}.(l -> l.a | (${body}))`),
      fc.tuple(tie("path"), query).map(([path, body]) => `${path}.map_each(${body})`),
      fc
        .tuple(tie("path"), tie("condition"), query)
        .map(([path, test, body]) => `${path}.filter(${test}).map_each(${body})`),
      fc.tuple(tie("path"), query).map(([path, body]) => `${path}.map_each(e -> [e, ${body}])`),
      fc.tuple(tie("path"), query).map(([path, body]) => `${path}.fold(0, ${body})`),
      two.map(([a, b]) => `(${a}).or(${b})`),
      two.map(([a, b]) => `(${a}).catch(${b})`),
      query.map((a) => `(${a}).apply("m")`),
      query.map((a) => `(${a}).string()`),
      query.map((a) => `(${a}).type()`),
      query.map((a) => `(${a}).length()`),
      query.map((a) => `(${a}).uppercase()`),
      query.map((a) => `(${a}).keys()`),
      query.map((a) => `(${a}).not_null()`),
      query.map((a) => `(${a}).values()`),
      query.map((a) => `(${a}).sort_by(e -> e.a)`),
      query.map((a) => `(${a}).without("a.b", "c")`),
      tie("path").map((path) => `${path}.fold({}, item -> item.tally.merge(item.value))`),
      fc.tuple(tie("path"), tie("condition")).map(([path, test]) => `${path}.find_by(${test})`),
      fc
        .tuple(tie("condition"), query, tie("condition"), query)
        .map(([first, a, second, b]) => `match { ${first} => ${a}, ${second} => ${b} }`),
      two.map(([a, b]) => `(${a}).append(${b})`),
      two.map(([a, b]) => `(${a}).contains(${b})`),
      two.map(([a, b]) => `(${a}).merge(${b})`),
      two.map(([a, b]) => `[${a}, ${b}]`),
      two.map(([a, b]) => `{"a": ${a}, "b": ${b}}`),
      two.map(([a, b]) => `{(${a}): ${b}}`),
      fc.tuple(query, fc.integer({ min: -1, max: 1 })).map(([a, index]) => `(${a})[${index}]`),
      query.map((a) => `(${a})[1:]`),
      query.map((a) => `-(${a})`),
      fc.constantFrom(
        "deleted()",
        "nothing()",
        'throw("no")',
        'meta("k")',
        'metadata("k")',
        'json("a")',
        "error()",
      ),
    ),
  };
});

const target = fc.constantFrom(
  "root",
  "root.a",
  "root.b",
  "root.a.c",
  "root.b.a.c",
  "let v",
  "let w",
  "meta k",
  "meta",
);
/** Most of what is generated can fail, so that half of it is given a fallback. */
const assigned = fc.oneof(
  queries.query,
  fc.tuple(queries.query, literal).map(([query, other]) => `(${query}) | ${other}`),
  fc.tuple(queries.query, queries.path).map(([query, other]) => `(${query}).catch(${other} | 0)`),
);
const assignment = fc.tuple(target, assigned).map(([to, query]) => `${to} = ${query}`);
const block = fc.array(assignment, { minLength: 1, maxLength: 2 });

const statement: fc.Arbitrary<string> = fc.oneof(
  { withCrossShrink: true },
  assignment,
  assignment,
  fc
    .tuple(queries.condition, block, block)
    .map(
      ([condition, then, otherwise]) =>
        `if ${condition} {\n  ${then.join("\n  ")}\n} else {\n  ${otherwise.join("\n  ")}\n}`,
    ),
  fc
    .tuple(queries.condition, block)
    .map(([condition, then]) => `if ${condition} {\n  ${then.join("\n  ")}\n}`),
);

/** A map that applies `inner` where queries apply `m`: without recursion, which need not end in this life. */
function arbitraryMap(name: string, inner: string): fc.Arbitrary<string> {
  const line = queries.query.map((query) => `  root.a = ${query.replaceAll('.apply("m")', inner)}`);
  return fc.array(line, { minLength: 1, maxLength: 2 }).map((body) => `map ${name} {\n${body.join("\n")}\n}`);
}

/** Whole mappings: two maps, then some statements. Some are refused before anything runs. */
export const anyMapping: fc.Arbitrary<string> = fc
  .tuple(
    arbitraryMap("n", ".string()"),
    arbitraryMap("m", '.apply("n")'),
    fc.array(statement, { minLength: 1, maxLength: 4 }),
  )
  .map(([n, m, statements]) => `${n}\n${m}\n${statements.join("\n")}`);
