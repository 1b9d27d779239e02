// The tree of the mapping language (Bloblang), which the parser builds and every later phase reads. Nodes represent
// what the user wrote, without resolved names, folded constants or types.

import type { SourceText, Span } from "../source/source.ts";
import type { NamedVariable } from "./named-variables.ts";

interface NodeBase {
  readonly span: Span;
}

/** A whole mapping text. */
export interface Mapping extends NodeBase {
  readonly kind: "Mapping";
  readonly source: SourceText;
  /** `shorthand`: a bare query, which means `root = query` and is stored as one `Assign` to the root. */
  readonly form: "statements" | "shorthand" | "from";
  /** `from "path"` for the form `from`. */
  readonly from?: StringLiteral;
  readonly statements: readonly Statement[];
  /** Set if the text has mistakes: statements are missing, and with them their assignments. */
  readonly isPartial?: true;
  /**
   * An earlier mapping of the file with the same text. Its tree differs only in its places; that of this mapping is read
   * when something asks for `statements`.
   */
  readonly like?: Mapping;
}

/**
 * Returns the mapping, or the result of its check, to ask for facts that depend only on the text, so that equal texts are
 * read once.
 */
export function sampleOf<T extends { readonly like?: T }>(mapping: T): T {
  return mapping.like ?? mapping;
}

/** A string with `${! query }` parts, as fields of connectors accept it. */
export interface Template extends NodeBase {
  readonly kind: "Template";
  readonly source: SourceText;
  /** Adjacent text parts are joined, and empty ones left out. A template without queries is static. */
  readonly parts: readonly TemplatePart[];
}

/** Text between queries, with escapes (`${{!x}}`) decoded. */
export interface TextPart extends NodeBase {
  readonly kind: "TextPart";
  readonly text: string;
}

/** `${! this.id }` */
export interface QueryPart extends NodeBase {
  readonly kind: "QueryPart";
  readonly query: Expression;
}

export type TemplatePart = TextPart | QueryPart;

export type Statement = Import | MapDefinition | Let | MetaAssign | Assign | IfStatement;

/** `import "./maps.blobl"` */
export interface Import extends NodeBase {
  readonly kind: "Import";
  readonly path: StringLiteral;
}

/** `map name { root.a = this.b }` */
export interface MapDefinition extends NodeBase {
  readonly kind: "MapDefinition";
  readonly name: Name;
  readonly statements: readonly Statement[];
}

/** `let name = query` */
export interface Let extends NodeBase {
  readonly kind: "Let";
  readonly name: Name;
  readonly value: Expression;
}

/** `meta key = query`, or `meta = query` without a key for all metadata. `meta "" = query` has the key "". */
export interface MetaAssign extends NodeBase {
  readonly kind: "MetaAssign";
  readonly key?: Name;
  readonly value: Expression;
}

/** `root.a."b c" = query`. `target` is the path below the root, empty for the root itself. */
export interface Assign extends NodeBase {
  readonly kind: "Assign";
  readonly target: readonly Name[];
  /** Whether `root.` is written; without it `a.b = q` and `this.a = q` mean `root.a.b` and `root.this.a`. */
  readonly rooted: boolean;
  readonly value: Expression;
}

/** `if a { … } else if b { … } else { … }` as a statement. */
export interface IfStatement extends NodeBase {
  readonly kind: "IfStatement";
  readonly branches: readonly StatementBranch[];
  readonly otherwise?: readonly Statement[];
}

/** `if cond { statements }` */
export interface StatementBranch extends NodeBase {
  readonly kind: "StatementBranch";
  readonly condition: Expression;
  readonly statements: readonly Statement[];
}

/** A name or path segment: `a`, or `"a b"` with `quoted` true. */
export interface Name extends NodeBase {
  readonly kind: "Name";
  readonly text: string;
  readonly quoted: boolean;
}

export type Expression =
  | NullLiteral
  | BooleanLiteral
  | IntegerLiteral
  | FloatLiteral
  | StringLiteral
  | VariableText
  | ArrayLiteral
  | ObjectLiteral
  | This
  | Root
  | ContextName
  | Variable
  | MetadataExpression
  | FieldAccess
  | MethodCall
  | FunctionCall
  | MapExpression
  | IndexAccess
  | Slice
  | Negate
  | Not
  | Binary
  | Group
  | IfExpression
  | MatchExpression
  | Lambda;

/** `null` */
export interface NullLiteral extends NodeBase {
  readonly kind: "NullLiteral";
}

/** `true` */
export interface BooleanLiteral extends NodeBase {
  readonly kind: "BooleanLiteral";
  readonly value: boolean;
}

/** `5`, or `-5` if the number rule itself consumed the minus; always an int64. */
export interface IntegerLiteral extends NodeBase {
  readonly kind: "IntegerLiteral";
  readonly value: bigint;
}

/** `5.0` */
export interface FloatLiteral extends NodeBase {
  readonly kind: "FloatLiteral";
  readonly value: number;
  /** As written, for printing: `5.0`, `1.50`. */
  readonly text: string;
}

/**
 * `"a\n"` or `"""raw"""`. A byte from `\xHH` that is not part of valid UTF-8 is represented in `value` as the lone
 * surrogate U+DC00 + byte, so that no text is lost.
 */
export interface StringLiteral extends NodeBase {
  readonly kind: "StringLiteral";
  readonly value: string;
  readonly raw: boolean;
}

/**
 * `"ui-$gw_context.headers_X_Tenant"`, or `$gw_context.headers_X_Tenant` alone: a text with variables of a request or
 * of the environment. Always a text, whatever the values of the variables.
 */
export interface VariableText extends NodeBase {
  readonly kind: "VariableText";
  /** At least one part is a variable. The texts between variables are decoded. */
  readonly parts: readonly (string | NamedVariable)[];
}

/** `[a, b]` */
export interface ArrayLiteral extends NodeBase {
  readonly kind: "ArrayLiteral";
  readonly elements: readonly Expression[];
}

/** `{"k": v, (q): v}` */
export interface ObjectLiteral extends NodeBase {
  readonly kind: "ObjectLiteral";
  readonly entries: readonly ObjectEntry[];
}

/** `"k": v`; the key is a `StringLiteral` or any query. */
export interface ObjectEntry extends NodeBase {
  readonly kind: "ObjectEntry";
  readonly key: Expression;
  readonly value: Expression;
}

/** `this`, or the `this` that a bare name implies: `foo.bar` is `this.foo.bar`. */
export interface This extends NodeBase {
  readonly kind: "This";
  /** Whether `this` is not written; the span is then empty. */
  readonly implicit: boolean;
}

/** `root` on the right of an assignment. */
export interface Root extends NodeBase {
  readonly kind: "Root";
}

/** The label of an enclosing lambda: `x` in `x -> x.a`. */
export interface ContextName extends NodeBase {
  readonly kind: "ContextName";
  readonly name: string;
}

/** `$name` */
export interface Variable extends NodeBase {
  readonly kind: "Variable";
  readonly name: string;
}

/** `@name`, `@"any name"`, or `@` without a key for all metadata. */
export interface MetadataExpression extends NodeBase {
  readonly kind: "Metadata";
  readonly key?: Name;
}

/** `receiver.name`, `receiver."any name"`, `receiver.0` */
export interface FieldAccess extends NodeBase {
  readonly kind: "FieldAccess";
  readonly receiver: Expression;
  readonly name: Name;
}

/** `receiver.method(args)` */
export interface MethodCall extends NodeBase {
  readonly kind: "MethodCall";
  readonly receiver: Expression;
  readonly name: Name;
  readonly args: readonly Argument[];
}

/** `name(args)` */
export interface FunctionCall extends NodeBase {
  readonly kind: "FunctionCall";
  readonly name: Name;
  readonly args: readonly Argument[];
}

/** A call of either kind. */
export type CallNode = FunctionCall | MethodCall;

/** `query`, or `name: query`. A call has only arguments of one of the two forms. */
export interface Argument extends NodeBase {
  readonly kind: "Argument";
  readonly name?: Name;
  readonly value: Expression;
}

/** `receiver.(query)`: evaluates the query with `this` = receiver. */
export interface MapExpression extends NodeBase {
  readonly kind: "MapExpression";
  readonly receiver: Expression;
  readonly body: Expression;
}

/** `receiver[index]` */
export interface IndexAccess extends NodeBase {
  readonly kind: "IndexAccess";
  readonly receiver: Expression;
  readonly index: Expression;
}

/** `receiver[start:stop:step]`, each part optional. */
export interface Slice extends NodeBase {
  readonly kind: "Slice";
  readonly receiver: Expression;
  readonly start?: Expression;
  readonly stop?: Expression;
  readonly step?: Expression;
}

/** `-operand`, with the operand's whole tail; evaluated as `0 - operand`. */
export interface Negate extends NodeBase {
  readonly kind: "Negate";
  readonly operand: Expression;
}

/** `!operand` */
export interface Not extends NodeBase {
  readonly kind: "Not";
  readonly operand: Expression;
}

export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "|"
  | "&&"
  | "||"
  | "=="
  | "!="
  | "<"
  | "<="
  | ">"
  | ">=";

/** `left + right` */
export interface Binary extends NodeBase {
  readonly kind: "Binary";
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `(inner)` */
export interface Group extends NodeBase {
  readonly kind: "Group";
  readonly inner: Expression;
}

/** `if a { x } else if b { y } else { z }` as a value. */
export interface IfExpression extends NodeBase {
  readonly kind: "IfExpression";
  readonly branches: readonly ExpressionBranch[];
  readonly otherwise?: Expression;
}

/** `if cond { query }` */
export interface ExpressionBranch extends NodeBase {
  readonly kind: "ExpressionBranch";
  readonly condition: Expression;
  readonly value: Expression;
}

/** `match subject { "a" => x, this > 5 => y, _ => z }` */
export interface MatchExpression extends NodeBase {
  readonly kind: "MatchExpression";
  readonly subject?: Expression;
  readonly cases: readonly MatchCase[];
}

/** `pattern => value`; without a pattern, `_ => value`. */
export interface MatchCase extends NodeBase {
  readonly kind: "MatchCase";
  readonly pattern?: Expression;
  readonly value: Expression;
}

/** `name -> body`; `_ -> body` has the parameter `_`. */
export interface Lambda extends NodeBase {
  readonly kind: "Lambda";
  readonly parameter: Name;
  readonly body: Expression;
}

export type MappingNode =
  | Mapping
  | Template
  | TemplatePart
  | Statement
  | StatementBranch
  | Name
  | Expression
  | ObjectEntry
  | Argument
  | ExpressionBranch
  | MatchCase;
