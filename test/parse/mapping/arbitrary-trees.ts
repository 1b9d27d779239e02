import fc from "fast-check";
import { decodeString } from "../../../compiler/parse/mapping/escapes.ts";
import { levels, operators } from "../../../compiler/parse/mapping/expressions.ts";
import { createSourceFile, wholeSpan } from "../../../compiler/source/source.ts";
import type { Expression, MappingNode, Name, Statement } from "../../../compiler/trees/mapping.ts";
import { childKeys } from "../../../compiler/trees/walk.ts";

const source = createSourceFile("generated.blobl", "");
const span = wholeSpan(source);

/** Generates trees that a text can represent, from the whole grammar of the language. Their source ranges mean nothing. */
export function arbitraryQuery(): fc.Arbitrary<Expression> {
  return queries.query.map((query) => settle(query, []));
}

/** Generates lists of statements, with maps and imports. */
export function arbitraryStatements(): fc.Arbitrary<readonly Statement[]> {
  return fc.array(statements.top, { minLength: 1, maxLength: 4 }).map((list) => {
    const maps = new Set<string>();
    const unique = list.filter((statement) => {
      if (statement.kind !== "MapDefinition") return true;
      if (maps.has(statement.name.text)) return false;
      return maps.add(statement.name.text);
    });
    return unique.map((statement) => settle(statement, []));
  });
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const anyName = fc.stringMatching(/^[A-Za-z0-9_]{1,6}$/);
const reserved = /^(true|false|null|else|[0-9]|(this|root|_)$)/;
const bareName = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,4}$/),
    fc.constantFrom("if", "match", "let", "map", "import", "x"),
  )
  .filter((name) => !reserved.test(name));
const snakeName = fc
  .tuple(fc.constantFrom(...letters), fc.stringMatching(/^[a-z0-9_]{0,5}$/))
  .map((parts) => parts.join(""))
  .filter((name) => !reserved.test(name));
const label = bareName.filter((name) => !/^(if|match|let|map|import)$/.test(name));

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom('"', "\\", "\n", "${!x}"),
  fc.uint8Array({ maxLength: 6 }).map((bytes) => {
    const escapes = [...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`);
    return String(decodeString(escapes.join("")));
  }),
);
const rawText = fc
  .string({ unit: "grapheme-ascii", maxLength: 8 })
  .filter((value) => !value.includes('"""') && !value.endsWith('"'));

function name(text: string, quoted = false): Name {
  return { kind: "Name", text, quoted, span };
}

const plainName = anyName.map((text) => name(text));
const segment = fc.oneof(
  plainName,
  text.map((value) => name(value, true)),
);

const quoted = text.map((value): Expression => ({ kind: "StringLiteral", value, raw: false, span }));
const natural = fc
  .bigInt({ min: 0n, max: 2n ** 63n - 1n })
  .map((value): Expression => ({ kind: "IntegerLiteral", value, span }));
const negative = fc
  .bigInt({ min: 1n - 2n ** 63n, max: -1n })
  .map((value): Expression => ({ kind: "IntegerLiteral", value, span }));
const float = fc
  .stringMatching(/^[0-9]{1,4}\.[0-9]{1,4}$/)
  .map((text): Expression => ({ kind: "FloatLiteral", text, value: Number(text), span }));

const bare = bareName.map((text): Expression => {
  const receiver: Expression = { kind: "This", implicit: true, span };
  return { kind: "FieldAccess", receiver, name: name(text), span };
});

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.constant<Expression>({ kind: "NullLiteral", span }),
  fc.boolean().map((value): Expression => ({ kind: "BooleanLiteral", value, span })),
  natural,
  float,
  quoted,
  rawText.map((value): Expression => ({ kind: "StringLiteral", value, raw: true, span })),
  fc.constant<Expression>({ kind: "This", implicit: false, span }),
  fc.constant<Expression>({ kind: "Root", span }),
  bare,
  anyName.map((text): Expression => ({ kind: "Variable", name: text, span })),
  fc.option(segment, { nil: undefined }).map((key): Expression => {
    return { kind: "Metadata", ...(key === undefined ? {} : { key }), span };
  }),
);

const queries = fc.letrec<
  Record<"query" | "chain" | "signed" | "negatable" | "tailed" | "lambda", Expression>
>((tie) => {
  const query = tie("query");
  const small = <T>(element: fc.Arbitrary<T>, minLength = 0) =>
    fc.array(element, { minLength, maxLength: 3 });
  const group = query.map((inner): Expression => ({ kind: "Group", inner, span }));
  const args = fc.oneof(
    small(query).map((values) => values.map((value) => ({ kind: "Argument", value, span }) as const)),
    small(query).map((values) =>
      values.map((value, index) => {
        return { kind: "Argument", name: name(`p${index}`), value, span } as const;
      }),
    ),
  );
  const call = fc
    .tuple(snakeName, args)
    .map(([text, list]): Expression => ({ kind: "FunctionCall", name: name(text), args: list, span }));
  // Literal keys other than strings are refused, and a key that starts with a string is that string.
  const key = fc.oneof(
    quoted,
    call,
    bare,
    quoted.map((inner): Expression => ({ kind: "Group", inner, span })),
  );
  const branch = fc
    .tuple(query, query)
    .map(([condition, value]) => ({ kind: "ExpressionBranch", condition, value, span }) as const);
  const matchCase = fc.tuple(fc.option(query, { nil: undefined }), query).map(([pattern, value]) => {
    return { kind: "MatchCase", ...(pattern === undefined ? {} : { pattern }), value, span } as const;
  });
  const compound: fc.Arbitrary<Expression> = fc.oneof(
    group,
    call,
    small(query).map((elements): Expression => ({ kind: "ArrayLiteral", elements, span })),
    small(fc.tuple(key, query)).map((entries): Expression => {
      const nodes = entries.map(([key, value]) => ({ kind: "ObjectEntry", key, value, span }) as const);
      return { kind: "ObjectLiteral", entries: nodes, span };
    }),
    fc
      .tuple(small(branch, 1), fc.option(query, { nil: undefined }))
      .map(([branches, otherwise]): Expression => {
        return { kind: "IfExpression", branches, ...(otherwise === undefined ? {} : { otherwise }), span };
      }),
    fc.tuple(query, small(matchCase)).map(([subject, cases]): Expression => {
      return { kind: "MatchExpression", subject, cases, span };
    }),
    small(matchCase, 1).map((cases): Expression => ({ kind: "MatchExpression", cases, span })),
  );
  const bound = fc.option(query, { nil: undefined });
  const receiver = tie("tailed");
  const tail: fc.Arbitrary<Expression> = fc.oneof(
    fc
      .tuple(receiver, segment)
      .map(([receiver, name]): Expression => ({ kind: "FieldAccess", receiver, name, span })),
    fc
      .tuple(receiver, fc.stringMatching(/^[a-z0-9_]{1,5}$/), args)
      .map(([receiver, text, list]): Expression => {
        return { kind: "MethodCall", receiver, name: name(text), args: list, span };
      }),
    fc
      .tuple(receiver, query)
      .map(([receiver, body]): Expression => ({ kind: "MapExpression", receiver, body, span })),
    fc
      .tuple(receiver, query)
      .map(([receiver, index]): Expression => ({ kind: "IndexAccess", receiver, index, span })),
    fc.tuple(receiver, bound, bound, bound).map(
      ([receiver, start, stop, step]): Expression => ({
        kind: "Slice",
        receiver,
        ...(start === undefined ? {} : { start }),
        ...(stop === undefined ? {} : { stop }),
        ...(step === undefined ? {} : { step }),
        span,
      }),
    ),
  );
  const operator = fc.constantFrom(...operators);
  return {
    query: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("chain"), tie("lambda")),
    chain: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      tie("signed"),
      fc
        .tuple(tie("chain"), operator, tie("signed"), fc.boolean())
        .map(([left, operator, right]) => binary(left, operator, right)),
    ),
    signed: fc.oneof(
      tie("negatable"),
      fc.oneof(tie("negatable"), negative).map((operand): Expression => ({ kind: "Negate", operand, span })),
    ),
    negatable: fc.oneof(
      tie("tailed"),
      fc.oneof(tie("tailed"), negative).map((operand): Expression => ({ kind: "Not", operand, span })),
    ),
    tailed: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, compound, tail),
    lambda: fc.tuple(fc.oneof(label, fc.constant("_")), tie("chain")).map(([text, body]): Expression => {
      const inner: Expression = isLambda(body) ? { kind: "NullLiteral", span } : body;
      return { kind: "Lambda", parameter: name(text), body: inner, span };
    }),
  };
});

/** `left operator right` as the levels group it: the operator goes down the right edge while it binds tighter. */
function binary(left: Expression, operator: (typeof operators)[number], right: Expression): Expression {
  if (left.kind === "Binary" && levels[left.operator] < levels[operator]) {
    return { ...left, right: binary(left.right, operator, right) };
  }
  return { kind: "Binary", operator, left, right, span };
}

function isLambda(expression: Expression): boolean {
  return expression.kind === "Group" ? isLambda(expression.inner) : expression.kind === "Lambda";
}

const query = queries.query;
const assign: fc.Arbitrary<Statement> = fc
  .tuple(fc.boolean(), plainName, fc.array(segment, { maxLength: 2 }), query)
  .map(([rooted, first, rest, value]) => {
    const isKeyword = /^(root|let|map|meta|import|else.*|if)$/.test(first.text);
    const target = rooted ? rest : [isKeyword ? name("x") : first, ...rest];
    return { kind: "Assign", target, rooted, value, span };
  });
const letStatement: fc.Arbitrary<Statement> = fc
  .tuple(segment, query)
  .map(([name, value]) => ({ kind: "Let", name, value, span }));
const meta: fc.Arbitrary<Statement> = fc
  .tuple(fc.option(segment, { nil: undefined }), query)
  .map(([key, value]) => ({ kind: "MetaAssign", ...(key === undefined ? {} : { key }), value, span }));

const statements = fc.letrec<Record<"top" | "inBlock" | "inMap" | "branching", Statement>>((tie) => {
  const block = fc.array(tie("inBlock"), { maxLength: 2 });
  const branch = fc
    .tuple(query, block)
    .map(([condition, list]) => ({ kind: "StatementBranch", condition, statements: list, span }) as const);
  return {
    branching: fc
      .tuple(fc.array(branch, { minLength: 1, maxLength: 2 }), fc.option(block, { nil: undefined }))
      .map(([branches, otherwise]): Statement => {
        return { kind: "IfStatement", branches, ...(otherwise === undefined ? {} : { otherwise }), span };
      }),
    inMap: fc.oneof({ depthSize: "small" }, assign, letStatement, tie("branching")),
    inBlock: fc.oneof({ depthSize: "small" }, meta, tie("inMap")),
    top: fc.oneof(
      { depthSize: "small" },
      tie("inBlock"),
      text.map((value): Statement => {
        return { kind: "Import", path: { kind: "StringLiteral", value, raw: false, span }, span };
      }),
      fc.tuple(segment, fc.array(tie("inMap"), { maxLength: 2 })).map(([name, list]): Statement => {
        return { kind: "MapDefinition", name, statements: list, span };
      }),
    ),
  };
});

/** Makes labels and the names in their scope agree, like a parser resolves them. */
function settle<N extends MappingNode>(node: N, labels: readonly string[]): N {
  if (node.kind === "Lambda") return settleLambda(node, labels) as N;
  if (node.kind === "FieldAccess" && node.receiver.kind === "This" && node.receiver.implicit) {
    if (labels.includes(node.name.text)) return { kind: "ContextName", name: node.name.text, span } as never;
  }
  const settled: Record<string, unknown> = { ...node };
  for (const key of childKeys[node.kind]) {
    const child = settled[key];
    if (Array.isArray(child)) settled[key] = child.map((each) => settle(each, labels));
    else if (child !== undefined) settled[key] = settle(child as MappingNode, labels);
  }
  return settled as unknown as N;
}

function settleLambda(
  lambda: Extract<Expression, { kind: "Lambda" }>,
  labels: readonly string[],
): Expression {
  const { text } = lambda.parameter;
  if (text === "_") return { ...lambda, body: settle(lambda.body, labels) };
  const unused = labels.includes(text) ? `${text}${labels.length}` : text;
  return { ...lambda, parameter: name(unused), body: settle(lambda.body, [...labels, unused]) };
}
