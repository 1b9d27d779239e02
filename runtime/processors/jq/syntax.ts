// The syntax tree of a jq query, as described in the jq manual.

/** A query, or a part of one. */
export type JqQuery =
  | { readonly kind: "Identity" | "RecurseDefault" }
  | { readonly kind: "Literal"; readonly value: null | boolean | string }
  | { readonly kind: "Number"; readonly text: string }
  /** `"a\(.b)"`. `format`: the format, as in `@csv "…"`. */
  | {
      readonly kind: "Template";
      readonly parts: readonly (string | JqQuery)[];
      readonly format: string | undefined;
    }
  /** `@csv` */
  | { readonly kind: "Format"; readonly name: string }
  /** `.a`, `.["a"]`, `.[0]`. `isQuiet`: set if a `?` follows, which only affects this step. */
  | { readonly kind: "Index"; readonly target: JqQuery; readonly key: JqQuery; readonly isQuiet?: true }
  /** `.[1:2]` */
  | {
      readonly kind: "Slice";
      readonly target: JqQuery;
      readonly from: JqQuery | undefined;
      readonly to: JqQuery | undefined;
      readonly isQuiet?: true;
    }
  /** `.[]` */
  | { readonly kind: "Iterate"; readonly target: JqQuery; readonly isQuiet?: true }
  | {
      readonly kind: "Pipe" | "Comma" | "Alternative" | "And" | "Or";
      readonly left: JqQuery;
      readonly right: JqQuery;
    }
  | { readonly kind: "Binary"; readonly operator: string; readonly left: JqQuery; readonly right: JqQuery }
  | { readonly kind: "Negate" | "Plus"; readonly operand: JqQuery }
  /** `.a |= 1`, `.a = 1`, `.a += 1`. `operator`: the operator without the final `=`, so `|`, an empty text, and `+`. */
  | { readonly kind: "Update"; readonly operator: string; readonly left: JqQuery; readonly right: JqQuery }
  | {
      readonly kind: "If";
      readonly test: JqQuery;
      readonly then: JqQuery;
      readonly otherwise: JqQuery | undefined;
    }
  | { readonly kind: "Try"; readonly body: JqQuery; readonly handler: JqQuery | undefined }
  | {
      readonly kind: "Reduce";
      readonly source: JqQuery;
      readonly pattern: JqPattern;
      readonly start: JqQuery;
      readonly update: JqQuery;
    }
  | {
      readonly kind: "Foreach";
      readonly source: JqQuery;
      readonly pattern: JqPattern;
      readonly start: JqQuery;
      readonly update: JqQuery;
      readonly extract: JqQuery | undefined;
    }
  | { readonly kind: "Define"; readonly definition: Definition; readonly body: JqQuery }
  | { readonly kind: "Call"; readonly name: string; readonly args: readonly JqQuery[] }
  | { readonly kind: "Variable"; readonly name: string }
  /** `. as [$a] ?// $a | …` */
  | {
      readonly kind: "Bind";
      readonly source: JqQuery;
      readonly patterns: readonly JqPattern[];
      readonly body: JqQuery;
    }
  | { readonly kind: "Label"; readonly name: string; readonly body: JqQuery }
  | { readonly kind: "Break"; readonly name: string }
  | { readonly kind: "Object"; readonly entries: readonly JqObjectEntry[] }
  | { readonly kind: "Array"; readonly body: JqQuery | undefined };

/** `(key): value` */
export interface JqObjectEntry {
  readonly key: JqQuery;
  readonly value: JqQuery;
}

/** `def name(parameters): body;`. A parameter with a leading `$` is a value. */
export interface Definition {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: JqQuery;
}

/** A pattern that destructures a value. */
export type JqPattern =
  | { readonly kind: "Name"; readonly name: string }
  | { readonly kind: "Elements"; readonly items: readonly JqPattern[] }
  | { readonly kind: "Fields"; readonly entries: readonly PatternEntry[] };

/** `key: inner`. `name`: the variable of `$name`, which holds the whole field. */
export interface PatternEntry {
  readonly key: JqQuery;
  readonly name: string | undefined;
  readonly inner: JqPattern | undefined;
}

/** Returns the names that a pattern binds. */
export function namesOf(pattern: JqPattern): readonly string[] {
  switch (pattern.kind) {
    case "Name":
      return [pattern.name];
    case "Elements":
      return pattern.items.flatMap(namesOf);
    case "Fields":
      return pattern.entries.flatMap(({ name, inner }) => [
        ...(name === undefined ? [] : [name]),
        ...(inner === undefined ? [] : namesOf(inner)),
      ]);
  }
}
