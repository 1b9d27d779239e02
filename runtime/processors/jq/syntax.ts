// The tree of a jq query, as the manual of jq describes the language.

/** A query, or a part of one. */
export type Query =
  | { readonly kind: "Identity" | "RecurseDefault" }
  | { readonly kind: "Literal"; readonly value: null | boolean | string }
  | { readonly kind: "Number"; readonly text: string }
  /** `"a\(.b)"`; `format` is that of `@csv "…"`. */
  | {
      readonly kind: "Template";
      readonly parts: readonly (string | Query)[];
      readonly format: string | undefined;
    }
  /** `@csv` */
  | { readonly kind: "Format"; readonly name: string }
  /** `.a`, `.["a"]`, `.[0]`; `isQuiet` where a `?` follows, which is about this step alone. */
  | { readonly kind: "Index"; readonly target: Query; readonly key: Query; readonly isQuiet?: true }
  /** `.[1:2]` */
  | {
      readonly kind: "Slice";
      readonly target: Query;
      readonly from: Query | undefined;
      readonly to: Query | undefined;
      readonly isQuiet?: true;
    }
  /** `.[]` */
  | { readonly kind: "Iterate"; readonly target: Query; readonly isQuiet?: true }
  | {
      readonly kind: "Pipe" | "Comma" | "Alternative" | "And" | "Or";
      readonly left: Query;
      readonly right: Query;
    }
  | { readonly kind: "Binary"; readonly operator: string; readonly left: Query; readonly right: Query }
  | { readonly kind: "Negate" | "Plus"; readonly operand: Query }
  /** `.a |= 1`, `.a = 1`, `.a += 1`; `operator` has no `=` at its end, and is `|` and empty for the first two. */
  | { readonly kind: "Update"; readonly operator: string; readonly left: Query; readonly right: Query }
  | { readonly kind: "If"; readonly test: Query; readonly then: Query; readonly otherwise: Query | undefined }
  | { readonly kind: "Try"; readonly body: Query; readonly handler: Query | undefined }
  | {
      readonly kind: "Reduce";
      readonly source: Query;
      readonly pattern: Pattern;
      readonly start: Query;
      readonly update: Query;
    }
  | {
      readonly kind: "Foreach";
      readonly source: Query;
      readonly pattern: Pattern;
      readonly start: Query;
      readonly update: Query;
      readonly extract: Query | undefined;
    }
  | { readonly kind: "Define"; readonly definition: Definition; readonly body: Query }
  | { readonly kind: "Call"; readonly name: string; readonly args: readonly Query[] }
  | { readonly kind: "Variable"; readonly name: string }
  /** `. as [$a] ?// $a | …` */
  | {
      readonly kind: "Bind";
      readonly source: Query;
      readonly patterns: readonly Pattern[];
      readonly body: Query;
    }
  | { readonly kind: "Label"; readonly name: string; readonly body: Query }
  | { readonly kind: "Break"; readonly name: string }
  | { readonly kind: "Object"; readonly entries: readonly ObjectEntry[] }
  | { readonly kind: "Array"; readonly body: Query | undefined };

/** `(key): value` */
export interface ObjectEntry {
  readonly key: Query;
  readonly value: Query;
}

/** `def name(parameters): body;`; a parameter with a leading `$` is a value. */
export interface Definition {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: Query;
}

/** What takes a value apart. */
export type Pattern =
  | { readonly kind: "Name"; readonly name: string }
  | { readonly kind: "Elements"; readonly items: readonly Pattern[] }
  | { readonly kind: "Fields"; readonly entries: readonly PatternEntry[] };

/** `key: inner`; `name` is the variable of `$name`, which is also the whole value of the field. */
export interface PatternEntry {
  readonly key: Query;
  readonly name: string | undefined;
  readonly inner: Pattern | undefined;
}

/** The names that a pattern gives values to. */
export function namesOf(pattern: Pattern): readonly string[] {
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
