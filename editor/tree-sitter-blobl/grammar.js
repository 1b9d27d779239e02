// The mapping language for tree-sitter. It reads what the compiler reads (compiler/parse/mapping/), and a little more:
// editors colour texts that are being written.

/** How tightly operators bind; as in compiler/parse/mapping/operators.ts. */
const levels = [
  [4, ["*", "/", "%", "|"]],
  [3, ["+", "-"]],
  [2, ["==", "!=", ">", "<", ">=", "<="]],
  [1, ["&&", "||"]],
];

const name = /[A-Za-z0-9_]+/;

module.exports = grammar({
  name: "blobl",

  // Line breaks end statements, but not inside of brackets and behind operators, where `_breaks` takes them.
  extras: () => [/[ \t]/],

  word: ($) => $._name,

  conflicts: ($) => [[$.if_statement], [$.if_expression], [$.match, $._match_name]],

  rules: {
    mapping: ($) =>
      seq(
        optional($._breaks),
        optional(
          choice(
            seq($._statement, repeat(seq($._breaks, $._statement)), optional($._breaks)),
            seq($._expression, optional($._breaks)),
          ),
        ),
      ),

    comment: () => token(seq("#", /[^\r\n]*/)),
    _breaks: ($) => prec.right(repeat1(choice(/\r?\n/, $.comment))),

    // Statements

    _statement: ($) =>
      choice($.import, $.from, $.map_definition, $.let, $.meta_assignment, $.assignment, $.if_statement),

    import: ($) => seq("import", field("path", $.string)),
    from: ($) => seq("from", field("path", $.string)),
    map_definition: ($) => seq("map", field("name", choice($.identifier, $.string)), field("body", $.block)),
    let: ($) => seq("let", field("name", choice($.identifier, $.string)), "=", field("value", $._expression)),
    // Without a key it is the metadata as a whole; a field `meta` is no target by itself.
    meta_assignment: ($) =>
      prec(
        1,
        seq(
          "meta",
          optional(field("key", choice($.identifier, $.string))),
          "=",
          field("value", $._expression),
        ),
      ),
    assignment: ($) => seq(field("target", $._tailed), "=", field("value", $._expression)),

    if_statement: ($) =>
      seq(
        "if",
        field("condition", $._expression),
        optional($._breaks),
        field("body", $.block),
        repeat(
          seq(
            optional($._breaks),
            "else",
            "if",
            field("condition", $._expression),
            optional($._breaks),
            field("body", $.block),
          ),
        ),
        optional(seq(optional($._breaks), "else", optional($._breaks), field("otherwise", $.block))),
      ),
    block: ($) =>
      seq(
        "{",
        optional($._breaks),
        optional(seq($._statement, repeat(seq($._breaks, $._statement)), optional($._breaks))),
        "}",
      ),

    // Expressions

    _expression: ($) => choice($.binary, $.negation, $.not, $._tailed, $.lambda),

    binary: ($) =>
      choice(
        ...levels.map(([level, operators]) =>
          prec.left(
            level,
            seq(
              field("left", $._expression),
              field("operator", choice(...operators)),
              optional($._breaks),
              field("right", $._expression),
            ),
          ),
        ),
      ),
    negation: ($) => prec(5, seq("-", optional($._breaks), choice($.not, $._tailed))),
    not: ($) => prec(5, seq("!", $._tailed)),
    lambda: ($) => prec.right(-1, seq(field("parameter", wordOf($)), "->", field("body", $._expression))),

    _tailed: ($) => choice($._primary, $.field_access, $.method_call, $.map_expression, $.index),

    field_access: ($) =>
      prec.left(7, seq(field("receiver", $._tailed), $._dot, field("name", choice($.identifier, $.string)))),
    method_call: ($) =>
      prec.left(
        8,
        seq(
          field("receiver", $._tailed),
          $._dot,
          field("name", $.identifier),
          field("arguments", $.arguments),
        ),
      ),
    map_expression: ($) => prec.left(7, seq(field("receiver", $._tailed), $._dot, "(", $._inner, ")")),
    index: ($) =>
      prec.left(
        7,
        seq(
          field("receiver", $._tailed),
          token.immediate("["),
          optional($._breaks),
          optional(seq($._expression, optional($._breaks))),
          repeat(seq(":", optional($._breaks), optional(seq($._expression, optional($._breaks))))),
          "]",
        ),
      ),
    // A line may begin with the dot of a method: one token, so that the end of a statement is known without looking on.
    // It does not begin with blanks, which would be taken into whatever other token stands there.
    _dot: () => token(/((#[^\n]*)?\r?\n([ \t\r\n]|#[^\n]*\n)*)?\.([ \t\r\n]|#[^\n]*\n)*/),
    _inner: ($) => seq(optional($._breaks), $._expression, optional($._breaks)),

    _primary: ($) =>
      choice(
        $.match,
        $.if_expression,
        $.group,
        $.boolean,
        $.null,
        $.number,
        $.raw_string,
        $.string,
        $.array,
        $.object,
        $.function_call,
        $.metadata,
        $.variable,
        $.this,
        $.root,
        wordOf($),
        $._if_name,
        $._match_name,
      ),

    // Fields of the message without `this.`, if no expression follows the word.
    _if_name: ($) => prec(-1, alias("if", $.identifier)),
    _match_name: ($) => prec.dynamic(-1, alias("match", $.identifier)),

    group: ($) => seq("(", $._inner, ")"),
    function_call: ($) =>
      prec(
        8,
        seq(
          field("name", choice(wordOf($), alias("this", $.identifier), alias("root", $.identifier))),
          field("arguments", $.arguments),
        ),
      ),
    arguments: ($) => seq(token.immediate("("), optional($._breaks), optional(listOf($, $._argument)), ")"),
    _argument: ($) => choice($.named_argument, $._expression),
    named_argument: ($) => seq(field("name", wordOf($)), token.immediate(":"), field("value", $._expression)),

    array: ($) => seq("[", optional($._breaks), optional(listOf($, $._expression)), "]"),
    object: ($) => seq("{", optional($._breaks), optional(listOf($, $.entry)), "}"),
    entry: ($) => seq(field("key", $._expression), ":", optional($._breaks), field("value", $._expression)),

    if_expression: ($) =>
      seq(
        "if",
        field("condition", $._expression),
        $._braced,
        repeat(seq(optional($._breaks), "else", "if", field("condition", $._expression), $._braced)),
        optional(seq(optional($._breaks), "else", $._braced)),
      ),
    _braced: ($) => seq(optional($._breaks), "{", $._inner, "}"),

    match: ($) =>
      seq(
        "match",
        optional(field("subject", $._expression)),
        optional($._breaks),
        "{",
        optional($._breaks),
        $.case,
        repeat(seq($._case_end, $.case)),
        optional($._case_end),
        "}",
      ),
    _case_end: ($) => choice(seq(",", optional($._breaks)), $._breaks),
    case: ($) =>
      seq(field("pattern", $._expression), "=>", optional($._breaks), field("value", $._expression)),

    // Words

    boolean: () => choice("true", "false"),
    null: () => "null",
    this: () => "this",
    root: () => "root",
    // It stands before names, so that it is what digits alone are; `1e3` and `0x1f` are names.
    number: () => /[0-9]+(\.[0-9]+)?/,
    metadata: ($) =>
      prec.right(seq("@", optional(choice(alias(token.immediate(name), $.identifier), $._immediate_string)))),
    _immediate_string: ($) => $.string,
    variable: ($) => seq("$", alias(token.immediate(name), $.identifier)),
    string: ($) =>
      seq('"', repeat(choice($.escape, token.immediate(prec(1, /[^"\\\r\n]+/)))), token.immediate('"')),
    escape: () =>
      token.immediate(/\\([abfnrtv\\"]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{3})/),
    raw_string: () => token(prec(2, seq('"""', /([^"]|"[^"]|""[^"])*/, '"""'))),
    identifier: ($) => $._name,
    _name: () => name,
  },
});

/** A name, also one that begins statements elsewhere. */
function wordOf($) {
  const words = ["meta", "let", "map", "from", "import"];
  return choice($.identifier, ...words.map((word) => alias(word, $.identifier)));
}

/** Elements with commas between them, and one behind the last or not. */
function listOf($, element) {
  return seq(
    element,
    repeat(seq(optional($._breaks), ",", optional($._breaks), element)),
    choice(seq(optional($._breaks), ",", optional($._breaks)), optional($._breaks)),
  );
}
