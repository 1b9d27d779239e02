// The syntax tree of templates, and the errors that describe invalid ones.

/** A problem in the text of a template. */
export class TemplateSyntaxError extends Error {
  /** The part of the text, as UTF-16 offsets. */
  readonly start: number;
  readonly end: number;

  constructor(message: string, start: number, end: number) {
    super(message);
    this.start = start;
    this.end = end;
  }
}

/** A place in the text of a template, as UTF-16 offsets. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** Returns the error of a part of the text. */
export function fault(message: string, { start, end }: TextPlace): TemplateSyntaxError {
  return new TemplateSyntaxError(message, start, end);
}

/** A text of a document, which may define several templates. */
export interface TemplateText {
  /** The name in failures: `main`, or that of the `sub_templates` entry. */
  readonly name: string;
  readonly text: string;
}

/** A template with its name. */
export interface TemplateTree {
  readonly name: string;
  readonly from: TemplateText;
  readonly body: readonly TemplateNode[];
}

export type TemplateNode =
  | { readonly kind: "Text"; readonly text: string }
  | { readonly kind: "Action"; readonly pipe: Pipe }
  | BranchNode
  | {
      readonly kind: "Call";
      readonly name: string;
      readonly pipe: Pipe | undefined;
      readonly place: TextPlace;
    }
  | { readonly kind: "Break" | "Continue" };

/** `if`, `with` and `range`, with the part after `else`. */
export interface BranchNode {
  readonly kind: "If" | "With" | "Range";
  readonly pipe: Pipe;
  readonly body: readonly TemplateNode[];
  readonly otherwise: readonly TemplateNode[];
}

/** `$x := a | b`: each command receives the value of the command before it as its last argument. */
export interface Pipe {
  readonly kind: "Pipe";
  readonly place: TextPlace;
  /** The variables that it declares or sets. */
  readonly variables: readonly string[];
  /** Whether it sets variables that exist. */
  readonly isAssignment: boolean;
  readonly commands: readonly Command[];
}

/** A function or a value, and its arguments. */
export interface Command {
  readonly first: Operand;
  readonly args: readonly Operand[];
  readonly place: TextPlace;
}

export type Operand =
  | { readonly kind: "Dot" | "Nil"; readonly place: TextPlace }
  | { readonly kind: "Bool"; readonly value: boolean; readonly place: TextPlace }
  | { readonly kind: "String"; readonly value: string; readonly place: TextPlace }
  | NumberOperand
  | { readonly kind: "Field"; readonly path: readonly string[]; readonly place: TextPlace }
  | {
      readonly kind: "Variable";
      readonly name: string;
      readonly path: readonly string[];
      readonly place: TextPlace;
    }
  | { readonly kind: "Function"; readonly name: string; readonly place: TextPlace }
  | {
      readonly kind: "Chain";
      readonly target: Operand;
      readonly path: readonly string[];
      readonly place: TextPlace;
    }
  | Pipe;

/** A number. The types that can represent it are present. */
export interface NumberOperand {
  readonly kind: "Number";
  readonly text: string;
  readonly integer: bigint | undefined;
  readonly float: number | undefined;
  readonly complex?: { readonly real: number; readonly imaginary: number };
  /** Whether it is a float64 where no type is expected. */
  readonly isFloat: boolean;
  readonly place: TextPlace;
}
