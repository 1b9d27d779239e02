// The syntax tree of AWK programs, and the errors that describe invalid ones.

/** A place in the text of a program, as UTF-16 offsets. */
export interface ProgramPlace {
  readonly start: number;
  readonly end: number;
}

/** A problem in a program. */
export interface ProgramProblem extends ProgramPlace {
  readonly message: string;
  readonly hint?: string;
  /** A name that does not exist, and those that do. */
  readonly unknown?: { readonly name: string; readonly among: readonly string[] };
}

/** The first problem of a program that cannot be read further. */
export class ProgramError extends Error {
  readonly problem: ProgramProblem;

  constructor(problem: ProgramProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Returns the error for a problem at a place. */
export function problemAt({ start, end }: ProgramPlace, message: string): ProgramError {
  return new ProgramError({ message, start, end });
}

/** A program as it is written. */
export interface ProgramTree {
  readonly begin: readonly (readonly AwkStatement[])[];
  readonly rules: readonly Rule[];
  readonly end: readonly (readonly AwkStatement[])[];
  readonly functions: readonly FunctionTree[];
  /** What the language has, but a gateway does not allow. */
  readonly refusals: readonly ProgramProblem[];
}

/** A pattern and its action. Without an action, the record is printed. */
export interface Rule {
  /** None: each record; two: a range. */
  readonly patterns: readonly AwkExpression[];
  readonly action: readonly AwkStatement[] | undefined;
}

export interface FunctionTree {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: readonly AwkStatement[];
  readonly place: ProgramPlace;
}

export type AwkStatement =
  | { readonly kind: "Expression"; readonly expression: AwkExpression }
  | { readonly kind: "Print"; readonly items: readonly AwkExpression[] }
  | { readonly kind: "Printf"; readonly items: readonly AwkExpression[] }
  | {
      readonly kind: "If";
      readonly test: AwkExpression;
      readonly body: readonly AwkStatement[];
      readonly otherwise: readonly AwkStatement[];
    }
  | {
      readonly kind: "Loop";
      readonly first: AwkStatement | undefined;
      readonly test: AwkExpression | undefined;
      readonly next: AwkStatement | undefined;
      readonly body: readonly AwkStatement[];
      /** Whether the body runs before the first test. */
      readonly isDo: boolean;
    }
  | {
      readonly kind: "ForIn";
      readonly variable: NamedExpression;
      readonly array: NamedExpression;
      readonly body: readonly AwkStatement[];
    }
  | { readonly kind: "Break" | "Continue" | "Next" | "NextFile" }
  | { readonly kind: "Exit" | "Return"; readonly value: AwkExpression | undefined }
  | {
      readonly kind: "Delete";
      readonly array: NamedExpression;
      /** Empty: all elements. */
      readonly index: readonly AwkExpression[];
    }
  | { readonly kind: "Block"; readonly body: readonly AwkStatement[] };

/** A name with its place. */
export interface NamedExpression {
  readonly kind: "Variable";
  readonly name: string;
  readonly place: ProgramPlace;
}

/** What can be assigned to. */
export type AwkTarget =
  | NamedExpression
  | { readonly kind: "Element"; readonly array: NamedExpression; readonly index: readonly AwkExpression[] }
  | { readonly kind: "Field"; readonly index: AwkExpression };

export type ArithmeticSign = "+" | "-" | "*" | "/" | "%" | "^";
export type ComparisonSign = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type AwkExpression =
  | AwkTarget
  | { readonly kind: "Number"; readonly value: number }
  /** `value` has a character per byte. */
  | { readonly kind: "Text"; readonly value: string }
  /** Matches the record. */
  | { readonly kind: "Regexp"; readonly source: string }
  | { readonly kind: "NamedField"; readonly name: AwkExpression }
  | { readonly kind: "Assign"; readonly target: AwkTarget; readonly value: AwkExpression }
  | {
      readonly kind: "Update";
      readonly target: AwkTarget;
      readonly sign: ArithmeticSign;
      readonly value: AwkExpression;
    }
  | {
      readonly kind: "Increment";
      readonly target: AwkTarget;
      readonly by: 1 | -1;
      readonly isBefore: boolean;
    }
  | {
      readonly kind: "Arithmetic";
      readonly sign: ArithmeticSign;
      readonly left: AwkExpression;
      readonly right: AwkExpression;
    }
  | {
      readonly kind: "Comparison";
      readonly sign: ComparisonSign;
      readonly left: AwkExpression;
      readonly right: AwkExpression;
    }
  | {
      readonly kind: "Match";
      readonly isNegated: boolean;
      readonly left: AwkExpression;
      readonly right: AwkExpression;
    }
  | {
      readonly kind: "Logic";
      readonly sign: "&&" | "||";
      readonly left: AwkExpression;
      readonly right: AwkExpression;
    }
  | { readonly kind: "Concatenation"; readonly items: readonly AwkExpression[] }
  | { readonly kind: "Unary"; readonly sign: "!" | "+" | "-"; readonly operand: AwkExpression }
  | {
      readonly kind: "Condition";
      readonly test: AwkExpression;
      readonly yes: AwkExpression;
      readonly no: AwkExpression;
    }
  | { readonly kind: "In"; readonly index: readonly AwkExpression[]; readonly array: NamedExpression }
  | { readonly kind: "Group"; readonly inner: AwkExpression }
  /** Several expressions in parentheses, which only `print` and `in` accept. */
  | { readonly kind: "Several"; readonly items: readonly AwkExpression[]; readonly place: ProgramPlace }
  | { readonly kind: "Builtin"; readonly name: string; readonly args: readonly AwkExpression[] }
  | {
      readonly kind: "Call";
      readonly name: string;
      readonly args: readonly AwkExpression[];
      readonly place: ProgramPlace;
    }
  | { readonly kind: "Getline"; readonly target: AwkTarget | undefined };

/** Whether an expression can be assigned to. */
export function isTarget(expression: AwkExpression): expression is AwkTarget {
  return expression.kind === "Variable" || expression.kind === "Element" || expression.kind === "Field";
}
