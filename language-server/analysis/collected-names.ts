// Collects names by kind, and locates names in texts.

import { type Span, spanOf } from "../../compiler/source/source.ts";
import type { StringLiteral } from "../../compiler/trees/mapping.ts";
import { absolutePath } from "../workspace/paths.ts";

/** A named element. Spans contain only the name, without quotes and signs. */
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
    | "field"
    | "anchor"
    | "file";
  readonly name: string;
  readonly declarations: readonly Span[];
  readonly uses: readonly Span[];
  /** The places that provide an undeclared name: the input that sets a metadata key. */
  readonly origins: readonly Span[];
}

interface Collected {
  readonly kind: Named["kind"];
  readonly name: string;
  readonly declarations: Map<string, Span>;
  readonly uses: Map<string, Span>;
  readonly origins: Map<string, Span>;
}

/** Collects names by kind. */
export class CollectedNames {
  readonly #found = new Map<string, Collected>();

  declare(kind: Named["kind"], key: string, name: string, span: Span): void {
    this.#at(kind, key, name).declarations.set(placeOf(span), span);
  }

  use(kind: Named["kind"], key: string, name: string, span: Span): void {
    this.#at(kind, key, name).uses.set(placeOf(span), span);
  }

  bring(kind: Named["kind"], key: string, name: string, span: Span): void {
    this.#at(kind, key, name).origins.set(placeOf(span), span);
  }

  #at(kind: Named["kind"], key: string, name: string): Collected {
    const id = `${kind} ${key} ${name}`;
    const entry = this.#found.get(id) ?? emptyCollected(kind, name);
    this.#found.set(id, entry);
    return entry;
  }

  /** Returns the names with a declaration or an origin; each place occurs once. */
  list(): readonly Named[] {
    return [...joined(this.#found.values())]
      .filter(({ declarations, origins }) => declarations.size > 0 || origins.size > 0)
      .map(({ kind, name, declarations, uses, origins }) => ({
        kind,
        name,
        declarations: [...declarations.values()],
        uses: [...uses].filter(([place]) => !declarations.has(place)).map(([, span]) => span),
        origins: [...origins.values()],
      }));
  }
}

function emptyCollected(kind: Named["kind"], name: string): Collected {
  return { kind, name, declarations: new Map(), uses: new Map(), origins: new Map() };
}

/** Merges elements that share a place: if an alias repeats a text in two streams, both use the same text. */
function joined(all: Iterable<Collected>): ReadonlySet<Collected> {
  const found = new Set<Collected>();
  const byPlace = new Map<string, Collected>();
  for (const each of all) {
    const places = [...each.declarations.keys(), ...each.uses.keys()].map((place) => `${each.kind} ${place}`);
    const parts = new Set([...places.flatMap((place) => byPlace.get(place) ?? []), each]);
    const whole = emptyCollected(each.kind, each.name);
    for (const part of parts) {
      found.delete(part);
      for (const key of ["declarations", "uses", "origins"] as const)
        for (const [place, span] of part[key]) whole[key].set(place, span);
    }
    found.add(whole);
    for (const place of [...whole.declarations.keys(), ...whole.uses.keys()])
      byPlace.set(`${whole.kind} ${place}`, whole);
  }
  return found;
}

/** Returns a key of a place that is equal for all spans that begin there. */
export function placeOf(span: Span): string {
  return `${absolutePath(span.source.file.path)} ${span.source.offsetInFile(span.start)}`;
}

/** Returns the span of a name without the quotes around it. */
export function withoutQuotes(span: Span): Span {
  const { source, start, end } = span;
  return source.text[start] === '"' ? spanOf(source, start + 1, end - 1) : span;
}

/** Returns the span between the quotes; `undefined` if the text contains escapes. */
export function insideQuotes({ span, value, raw }: StringLiteral): Span | undefined {
  const quotes = raw ? 3 : 1;
  const inner = spanOf(span.source, span.start + quotes, span.end - quotes);
  return span.source.text.slice(inner.start, inner.end) === value ? inner : undefined;
}
