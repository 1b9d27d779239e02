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
  readonly begin: readonly (readonly Statement[])[];
  readonly rules: readonly Rule[];
  readonly end: readonly (readonly Statement[])[];
  readonly functions: readonly FunctionTree[];
  /** What the language has, but a gateway does not allow. */
  readonly refusals: readonly ProgramProblem[];
}

/** A pattern and its action. Without an action, the record is printed. */
export interface Rule {
  /** None: each record; two: a range. */
  readonly patterns: readonly Expression[];
  readonly action: readonly Statement[] | undefined;
}

export interface FunctionTree {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: readonly Statement[];
  readonly place: ProgramPlace;
}

export type Statement =
  | { readonly kind: "Expression"; readonly expression: Expression }
  | { readonly kind: "Print"; readonly items: readonly Expression[] }
  | { readonly kind: "Printf"; readonly items: readonly Expression[] }
  | {
      readonly kind: "If";
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | {
      readonly kind: "Loop";
      readonly first: Statement | undefined;
      readonly test: Expression | undefined;
      readonly next: Statement | undefined;
      readonly body: readonly Statement[];
      /** Whether the body runs before the first test. */
      readonly isDo: boolean;
    }
  | {
      readonly kind: "ForIn";
      readonly variable: NamedExpression;
      readonly array: NamedExpression;
      readonly body: readonly Statement[];
    }
  | { readonly kind: "Break" | "Continue" | "Next" | "NextFile" }
  | { readonly kind: "Exit" | "Return"; readonly value: Expression | undefined }
  | {
      readonly kind: "Delete";
      readonly array: NamedExpression;
      /** Empty: all elements. */
      readonly index: readonly Expression[];
    }
  | { readonly kind: "Block"; readonly body: readonly Statement[] };

/** A name with its place. */
export interface NamedExpression {
  readonly kind: "Variable";
  readonly name: string;
  readonly place: ProgramPlace;
}

/** What can be assigned to. */
export type Target =
  | NamedExpression
  | { readonly kind: "Element"; readonly array: NamedExpression; readonly index: readonly Expression[] }
  | { readonly kind: "Field"; readonly index: Expression };

export type ArithmeticSign = "+" | "-" | "*" | "/" | "%" | "^";
export type ComparisonSign = "==" | "!=" | "<" | "<=" | ">" | ">=";

export type Expression =
  | Target
  | { readonly kind: "Number"; readonly value: number }
  /** `value` has a character per byte. */
  | { readonly kind: "Text"; readonly value: string }
  /** Matches the record. */
  | { readonly kind: "Regexp"; readonly source: string }
  | { readonly kind: "NamedField"; readonly name: Expression }
  | { readonly kind: "Assign"; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: "Update";
      readonly target: Target;
      readonly sign: ArithmeticSign;
      readonly value: Expression;
    }
  | {
      readonly kind: "Increment";
      readonly target: Target;
      readonly by: 1 | -1;
      readonly isBefore: boolean;
    }
  | {
      readonly kind: "Arithmetic";
      readonly sign: ArithmeticSign;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "Comparison";
      readonly sign: ComparisonSign;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "Match";
      readonly isNegated: boolean;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "Logic";
      readonly sign: "&&" | "||";
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "Concatenation"; readonly items: readonly Expression[] }
  | { readonly kind: "Unary"; readonly sign: "!" | "+" | "-"; readonly operand: Expression }
  | {
      readonly kind: "Condition";
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
  | { readonly kind: "In"; readonly index: readonly Expression[]; readonly array: NamedExpression }
  | { readonly kind: "Group"; readonly inner: Expression }
  /** Several expressions in parentheses, which only `print` and `in` accept. */
  | { readonly kind: "Several"; readonly items: readonly Expression[]; readonly place: ProgramPlace }
  | { readonly kind: "Builtin"; readonly name: string; readonly args: readonly Expression[] }
  | {
      readonly kind: "Call";
      readonly name: string;
      readonly args: readonly Expression[];
      readonly place: ProgramPlace;
    }
  | { readonly kind: "Getline"; readonly target: Target | undefined };

/** Whether an expression can be assigned to. */
export function isTarget(expression: Expression): expression is Target {
  return expression.kind === "Variable" || expression.kind === "Element" || expression.kind === "Field";
}
