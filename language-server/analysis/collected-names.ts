// Names that are being collected, by what they are names of, and the places of names in texts.

import { type Span, spanOf } from "../../compiler/source/source.ts";
import type { StringLiteral } from "../../compiler/trees/mapping.ts";
import { absolutePath } from "../workspace/paths.ts";

/** A thing with a name. Spans hold the name alone, without quotes and signs. */
export interface Named {
  readonly kind:
    | "variable"
    | "parameter"
    | "map"
    | "resource"
    | "label"
    | "component"
    | "policy"
    | "API"
    | "stream"
    | "topic"
    | "metadata key"
    | "anchor";
  readonly name: string;
  readonly declarations: readonly Span[];
  readonly uses: readonly Span[];
}

/** Names that are being collected, by what they are names of. */
export class CollectedNames {
  readonly #found = new Map<
    string,
    { kind: Named["kind"]; name: string; declarations: Map<string, Span>; uses: Map<string, Span> }
  >();

  declare(kind: Named["kind"], key: string, name: string, span: Span): void {
    this.#at(kind, key, name).declarations.set(placeOf(span), span);
  }

  use(kind: Named["kind"], key: string, name: string, span: Span): void {
    this.#at(kind, key, name).uses.set(placeOf(span), span);
  }

  #at(kind: Named["kind"], key: string, name: string) {
    const id = `${kind} ${key} ${name}`;
    const entry = this.#found.get(id) ?? { kind, name, declarations: new Map(), uses: new Map() };
    this.#found.set(id, entry);
    return entry;
  }

  /** What is declared somewhere; a place counts once, however often it was met. */
  list(): readonly Named[] {
    return [...this.#found.values()]
      .filter(({ declarations }) => declarations.size > 0)
      .map(({ kind, name, declarations, uses }) => ({
        kind,
        name,
        declarations: [...declarations.values()],
        uses: [...uses].filter(([place]) => !declarations.has(place)).map(([, span]) => span),
      }));
  }
}

/** A place that is the same for every span of it. */
export function placeOf(span: Span): string {
  return `${absolutePath(span.source.file.path)} ${span.source.offsetInFile(span.start)}`;
}

/** The span of a name without the quotes around it. */
export function withoutQuotes(span: Span): Span {
  const { source, start, end } = span;
  return source.text[start] === '"' ? spanOf(source, start + 1, end - 1) : span;
}

/** The text between the quotes; `undefined` where it is written in escapes. */
export function insideQuotes({ span, value, raw }: StringLiteral): Span | undefined {
  const quotes = raw ? 3 : 1;
  const inner = spanOf(span.source, span.start + quotes, span.end - quotes);
  return span.source.text.slice(inner.start, inner.end) === value ? inner : undefined;
}
