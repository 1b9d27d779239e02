// The resolved form of mappings, and the only form that the emitter reads. Names are slots and locals, arguments
// are positional, literals are folded, and each expression states its possible outcomes.

import type { Builtin } from "../../builtins/builtin.ts";
import type { ConstantValue } from "../../check/mapping/constant.ts";
import type { Span } from "../../source/source.ts";

export type { ConstantValue } from "../../check/mapping/constant.ts";

/**
 * The initial state of a mapping.
 * `mapping`: the root is empty, and `this` is the message.
 * `request`: the same for the `request_map` of a branch, whose message is empty if nothing is assigned.
 * `mutation`: the root is the message, and `this` is the root.
 * `result`: the `result_map` of a branch; `this` is the result, and the root begins as the message that the branch read.
 */
export type MappingMode = "mapping" | "request" | "mutation" | "result" | "function";

/** A whole mapping. */
export interface MappingPlan {
  readonly kind: "MappingPlan";
  readonly mode: MappingMode;
  readonly span: Span;
  readonly statements: readonly PlannedStatement[];
  readonly slots: readonly Slot[];
  /** The named maps that the mapping may call, directly or indirectly, in order of definition. */
  readonly maps: readonly MapPlan[];
}

/** Consecutive mappings and mutations of a pipeline that run on each message as one function. */
export interface MappingSequence {
  readonly kind: "MappingSequence";
  readonly span: Span;
  /** At least two. */
  readonly steps: readonly SequenceStep[];
}

/** A mapping of a sequence. `path` is the path of its processor in the document. */
export interface SequenceStep {
  readonly mapping: MappingPlan;
  readonly path: string;
  /** The source range of its processor. */
  readonly span: Span;
  readonly label?: string | undefined;
}

/** A named map: a function from a value to a value, with its own variables. */
export interface MapPlan {
  readonly kind: "MapPlan";
  readonly span: Span;
  readonly name: string;
  readonly parameter: Local;
  readonly statements: readonly PlannedStatement[];
  readonly slots: readonly Slot[];
  /** Whether it can call itself through the maps that it applies. */
  readonly recursive: boolean;
}

/** A bare query. */
export interface QueryPlan {
  readonly kind: "QueryPlan";
  readonly span: Span;
  readonly query: Planned;
  readonly maps: readonly MapPlan[];
}

/** A string with queries. Adjacent texts that need no message are joined. */
export interface TemplatePlan {
  readonly kind: "TemplatePlan";
  readonly span: Span;
  readonly parts: readonly (string | Planned)[];
}

/** A variable of one mapping or map. */
export interface Slot {
  readonly kind: "Slot";
  readonly name: string;
  /** Whether exactly one statement assigns it, unconditionally, and never an absence. */
  readonly constant: boolean;
}

/** A value bound by the plan: the element of a closure, the subject of a `match`, a map's parameter. */
export interface Local {
  readonly kind: "Local";
  /** The name to use for it in emitted code: the label of a lambda, or a description of the value. */
  readonly hint: string;
}

interface StatementBase {
  readonly span: Span;
  /** The line that the reference engine reports if the statement fails: that of the outermost `if` around it. */
  readonly line: number;
}

export type PlannedStatement = AssignRoot | AssignField | AssignVariable | AssignMetadata | Choose;

/** `root = value` */
export interface AssignRoot extends StatementBase {
  readonly kind: "AssignRoot";
  readonly value: Planned;
}

/** `root.a.b = value`; `path` is never empty. */
export interface AssignField extends StatementBase {
  readonly kind: "AssignField";
  readonly path: readonly string[];
  readonly value: Planned;
}

/** `let name = value` */
export interface AssignVariable extends StatementBase {
  readonly kind: "AssignVariable";
  readonly slot: Slot;
  readonly value: Planned;
}

/** `meta key = value`; without a key, it assigns all metadata. */
export interface AssignMetadata extends StatementBase {
  readonly kind: "AssignMetadata";
  readonly key: string | undefined;
  readonly value: Planned;
}

/** The condition of a branch of an `if`. */
export interface Condition {
  readonly condition: Planned;
  /** The number of the condition in error texts, counted from 1. */
  readonly position: number;
}

/** `if … { } else { }` as a statement. */
export interface Choose extends StatementBase {
  readonly kind: "Choose";
  readonly branches: readonly (Condition & { readonly statements: readonly PlannedStatement[] })[];
  readonly otherwise: readonly PlannedStatement[];
}

/** The type of a value as far as it is known at compile time. */
export type StaticType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object" | "any";

interface PlannedBase {
  readonly span: Span;
  /** The description of the expression in error texts: ``field `this.a` ``, `string literal`. */
  readonly from: string;
  readonly type: StaticType;
  /** When the expression can fail; `document`: only if the message is not JSON. */
  readonly fails: "never" | "document" | "maybe";
  /** Whether the value can be `deleted()` or `nothing()`. */
  readonly absence: boolean;
}

/** An expression. */
export type Planned =
  | Constant
  | PlannedVariableText
  | Absence
  | PathRead
  | ReadVariable
  | FindVariable
  | ReadMetadata
  | MakeArray
  | MakeObject
  | PlannedCall
  | Apply
  | Shift
  | Bind
  | Index
  | SliceRead
  | Calculate
  | Comparison
  | Combine
  | Coalesce
  | CatchFallback
  | Negation
  | Choice
  | Match;

/** A literal, or an expression that was folded to one. */
export interface Constant extends PlannedBase {
  readonly kind: "Constant";
  readonly value: ConstantValue;
}

/** A text with variables of the request or the environment. Its value is fixed for the lifetime of the stream's instance. */
export interface PlannedVariableText extends PlannedBase {
  readonly kind: "VariableText";
  readonly parts: readonly (string | VariableRead)[];
}

/** A variable that is read once for each instance of a stream; `name` is like `context.headers_X_Tenant` or `DATABASE`. */
export interface VariableRead {
  readonly from: "request" | "environment";
  readonly name: string;
}

/** `deleted()`, `nothing()` */
export interface Absence extends PlannedBase {
  readonly kind: "Absence";
  readonly name: "deleted" | "nothing";
}

/** The start of a path. `document` is the message; errors name it as the user wrote it. */
export type PathBase =
  | { readonly kind: "document"; readonly reference: string }
  | { readonly kind: "root" }
  | Local
  | { readonly kind: "value"; readonly value: Planned };

/** `this.a.b`; with an empty path, the base itself. */
export interface PathRead extends PlannedBase {
  readonly kind: "Path";
  readonly base: PathBase;
  readonly segments: readonly string[];
}

/** `$name`; without a slot, a variable that only the caller can have set. */
export interface ReadVariable extends PlannedBase {
  readonly kind: "ReadVariable";
  readonly name: string;
  readonly slot: Slot | undefined;
  /** Whether it is definitely assigned at this point. */
  readonly assigned: boolean;
}

/** `var(name)` with a computed name; `slots` are the variables that may have been assigned before. */
export interface FindVariable extends PlannedBase {
  readonly kind: "FindVariable";
  readonly name: Planned;
  readonly slots: readonly Slot[];
}

/** `@key`; without a key, all metadata of the message that is being built. */
export interface ReadMetadata extends PlannedBase {
  readonly kind: "ReadMetadata";
  readonly key: string | undefined;
}

/** `[a, b]` with an element that is not constant. */
export interface MakeArray extends PlannedBase {
  readonly kind: "MakeArray";
  readonly elements: readonly Planned[];
}

/** `{"k": v, (q): v}` */
export interface MakeObject extends PlannedBase {
  readonly kind: "MakeObject";
  readonly entries: readonly { readonly key: string | Planned; readonly value: Planned }[];
}

/** An argument in the form that the runtime function takes. */
export type PlannedArgument =
  | { readonly kind: "value"; readonly value: Planned }
  /** A query that runs for each element (or for the error text): a function of `local`. */
  | { readonly kind: "closure"; readonly local: Local; readonly body: Planned }
  /** A query that runs in the same context: a function without parameters. */
  | { readonly kind: "thunk"; readonly body: Planned }
  | { readonly kind: "omitted" };

/** A builtin function or method with all its arguments. */
export interface PlannedCall extends PlannedBase {
  readonly kind: "Call";
  readonly builtin: Builtin;
  readonly target: Planned | undefined;
  readonly args: readonly PlannedArgument[];
}

/** `target.apply("name")` */
export interface Apply extends PlannedBase {
  readonly kind: "Apply";
  readonly target: Planned;
  readonly map: string | Planned;
}

/** `target.from(index)`; without an index, `target.from_all()`. */
export interface Shift extends PlannedBase {
  readonly kind: "Shift";
  readonly target: Planned;
  readonly index: Planned | undefined;
}

/** `value.(body)`: evaluates the body with `local` set to `value`. */
export interface Bind extends PlannedBase {
  readonly kind: "Bind";
  readonly local: Local;
  readonly value: Planned;
  readonly body: Planned;
}

/** `target[index]` */
export interface Index extends PlannedBase {
  readonly kind: "Index";
  readonly target: Planned;
  readonly index: Planned;
}

/** `target[start:stop:step]` */
export interface SliceRead extends PlannedBase {
  readonly kind: "Slice";
  readonly target: Planned;
  readonly start: Planned | undefined;
  readonly stop: Planned | undefined;
  readonly step: Planned | undefined;
}

/** An arithmetic operation, such as `left + right`. */
export interface Calculate extends PlannedBase {
  readonly kind: "Calculate";
  readonly operator: "+" | "-" | "*" | "/" | "%";
  readonly left: Planned;
  readonly right: Planned;
}

/** A comparison, such as `left < right`. */
export interface Comparison extends PlannedBase {
  readonly kind: "Compare";
  readonly operator: "==" | "!=" | "<" | "<=" | ">" | ">=";
  readonly left: Planned;
  readonly right: Planned;
}

/** `left && right`, `left || right` */
export interface Combine extends PlannedBase {
  readonly kind: "Combine";
  readonly operator: "&&" | "||";
  readonly left: Planned;
  readonly right: Planned;
}

/** `left | right` */
export interface Coalesce extends PlannedBase {
  readonly kind: "Coalesce";
  readonly left: Planned;
  readonly right: Planned;
}

/** `target.catch(fallback)`; the fallback reads the error text as `local`. */
export interface CatchFallback extends PlannedBase {
  readonly kind: "Fallback";
  readonly target: Planned;
  readonly local: Local;
  readonly fallback: Planned;
}

/** `!operand` */
export interface Negation extends PlannedBase {
  readonly kind: "Not";
  readonly operand: Planned;
}

/** `if a { x } else { y }` as a value. */
export interface Choice extends PlannedBase {
  readonly kind: "Choice";
  readonly branches: readonly (Condition & { readonly value: Planned })[];
  readonly otherwise: Planned | undefined;
}

/** `match subject { … }`; without a subject, the cases read the surrounding context. */
export interface Match extends PlannedBase {
  readonly kind: "Match";
  readonly subject: { readonly local: Local; readonly value: Planned } | undefined;
  readonly cases: readonly MatchArm[];
}

/** One case of a `match`. */
export interface MatchArm {
  /** `equals` compares with a constant, `holds` evaluates a query that must return `true`, and `always` is `_`. */
  readonly test:
    | { readonly kind: "always" }
    | { readonly kind: "equals"; readonly value: Planned; readonly subject: Planned }
    | { readonly kind: "holds"; readonly query: Planned };
  readonly value: Planned;
}
