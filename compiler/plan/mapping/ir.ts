// What a mapping does, resolved: the only form the emitter reads. Names are slots and locals, arguments
// are positional, literals are folded, and each expression knows what can become of it.

import type { Builtin } from "../../builtins/builtin.ts";
import type { ConstantValue } from "../../check/mapping/constant.ts";
import type { Span } from "../../source/source.ts";

export type { ConstantValue } from "../../check/mapping/constant.ts";

/**
 * What a mapping begins with. `mapping`: an empty root, `this` is the message. `request`: the same for the `request_map` of a
 * branch, whose message is empty where nothing is assigned. `mutation`: root is the
 * message, and `this` is root. `result`: the `result_map` of a branch, where `this` is the result and root
 * begins as the message the branch came from.
 */
export type MappingMode = "mapping" | "request" | "mutation" | "result";

/** A whole mapping. */
export interface MappingPlan {
  readonly kind: "MappingPlan";
  readonly mode: MappingMode;
  readonly span: Span;
  readonly statements: readonly PlannedStatement[];
  readonly slots: readonly Slot[];
  /** Named maps it may call, those that call each other included, in order of definition. */
  readonly maps: readonly MapPlan[];
}

/** Mappings and mutations of a pipeline that run one after the other on each message, as one function. */
export interface MappingSequence {
  readonly kind: "MappingSequence";
  readonly span: Span;
  /** Two or more. */
  readonly steps: readonly SequenceStep[];
}

/** A mapping of a sequence; `path` is where its processor stands in the document. */
export interface SequenceStep {
  readonly mapping: MappingPlan;
  readonly path: string;
  /** Where its processor was written, and what people call that. */
  readonly span: Span;
  readonly label?: string | undefined;
}

/** A named map: a function from a value to a value, with variables of its own. */
export interface MapPlan {
  readonly kind: "MapPlan";
  readonly span: Span;
  readonly name: string;
  readonly parameter: Local;
  readonly statements: readonly PlannedStatement[];
  readonly slots: readonly Slot[];
  /** It can come back to itself through the maps it applies. */
  readonly recursive: boolean;
}

/** A bare query. */
export interface QueryPlan {
  readonly kind: "QueryPlan";
  readonly span: Span;
  readonly query: Planned;
  readonly maps: readonly MapPlan[];
}

/** A string with queries; text that needs no message is joined. */
export interface TemplatePlan {
  readonly kind: "TemplatePlan";
  readonly span: Span;
  readonly parts: readonly (string | Planned)[];
}

/** A variable of one mapping or map. */
export interface Slot {
  readonly kind: "Slot";
  readonly name: string;
  /** Assigned by exactly one statement, always, to a value that is never an absence. */
  readonly constant: boolean;
}

/** A value bound by the plan: the element of a closure, the subject of a `match`, a map's parameter. */
export interface Local {
  readonly kind: "Local";
  /** What to call it: the label of a lambda, or what it holds. */
  readonly hint: string;
}

interface StatementBase {
  readonly span: Span;
  /** The line the reference names when it fails: that of the outermost `if` around it. */
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

/** `meta key = value`; without a key, all metadata. */
export interface AssignMetadata extends StatementBase {
  readonly kind: "AssignMetadata";
  readonly key: string | undefined;
  readonly value: Planned;
}

/** What a branch of an `if` asks for. */
export interface Condition {
  readonly condition: Planned;
  /** Which of the conditions it is, from 1, in the words of errors. */
  readonly position: number;
}

/** `if … { } else { }` as a statement. */
export interface Choose extends StatementBase {
  readonly kind: "Choose";
  readonly branches: readonly (Condition & { readonly statements: readonly PlannedStatement[] })[];
  readonly otherwise: readonly PlannedStatement[];
}

/** What is known of a value before it exists. */
export type StaticType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object" | "any";

interface PlannedBase {
  readonly span: Span;
  /** How error texts call it: ``field `this.a` ``, `string literal`. */
  readonly from: string;
  readonly type: StaticType;
  /** `document`: it fails only where the message is not JSON. */
  readonly fails: "never" | "document" | "maybe";
  /** It can be `deleted()` or `nothing()`. */
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

/** A literal, or what became one. */
export interface Constant extends PlannedBase {
  readonly kind: "Constant";
  readonly value: ConstantValue;
}

/** A text with variables of the request or of the environment: one value for as long as the stream's instance runs. */
export interface PlannedVariableText extends PlannedBase {
  readonly kind: "VariableText";
  readonly parts: readonly (string | VariableRead)[];
}

/** A variable that is read once for each instance of a stream; `name` as in `context.headers_X_Tenant`, `DATABASE`. */
export interface VariableRead {
  readonly from: "request" | "environment";
  readonly name: string;
}

/** `deleted()`, `nothing()` */
export interface Absence extends PlannedBase {
  readonly kind: "Absence";
  readonly name: "deleted" | "nothing";
}

/** What a path starts from. `document` is the message, named in errors as the user wrote it. */
export type PathBase =
  | { readonly kind: "document"; readonly reference: string }
  | { readonly kind: "root" }
  | Local
  | { readonly kind: "value"; readonly value: Planned };

/** `this.a.b`; an empty path is the base itself. */
export interface PathRead extends PlannedBase {
  readonly kind: "Path";
  readonly base: PathBase;
  readonly segments: readonly string[];
}

/** `$name`; without a slot, a variable that only the caller may have set. */
export interface ReadVariable extends PlannedBase {
  readonly kind: "ReadVariable";
  readonly name: string;
  readonly slot: Slot | undefined;
  /** Surely assigned before. */
  readonly assigned: boolean;
}

/** `var(name)` with a computed name; `slots` are those that may have been assigned before. */
export interface FindVariable extends PlannedBase {
  readonly kind: "FindVariable";
  readonly name: Planned;
  readonly slots: readonly Slot[];
}

/** `@key`; without a key, all metadata of the message being built. */
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

/** An argument as the runtime function takes it. */
export type PlannedArgument =
  | { readonly kind: "value"; readonly value: Planned }
  /** A query for each element (or the error text): a function of `local`. */
  | { readonly kind: "closure"; readonly local: Local; readonly body: Planned }
  /** A query in the same context: a function without parameters. */
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

/** `value.(body)`: the body with `local` = value. */
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

/** `left + right` and its like. */
export interface Calculate extends PlannedBase {
  readonly kind: "Calculate";
  readonly operator: "+" | "-" | "*" | "/" | "%";
  readonly left: Planned;
  readonly right: Planned;
}

/** `left < right` and its like. */
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

/** `target.catch(fallback)`; the fallback sees the error text as `local`. */
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

/** `match subject { … }`; without a subject the cases see what is around them. */
export interface Match extends PlannedBase {
  readonly kind: "Match";
  readonly subject: { readonly local: Local; readonly value: Planned } | undefined;
  readonly cases: readonly MatchArm[];
}

/** One case of a `match`. */
export interface MatchArm {
  /** `equals` compares with a constant, `holds` takes a query that gives `true`, `always` is `_`. */
  readonly test:
    | { readonly kind: "always" }
    | { readonly kind: "equals"; readonly value: Planned; readonly subject: Planned }
    | { readonly kind: "holds"; readonly query: Planned };
  readonly value: Planned;
}
