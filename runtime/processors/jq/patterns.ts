// Destructures values: `. as [$a, {b: $c}] ?// $a | …`.

import type { Filter, JqScope } from "./filter.ts";
import { within } from "./filter.ts";
import { type JqNames, naming } from "./names.ts";
import { indexed } from "./paths.ts";
import { type JqPattern, type JqQuery, namesOf } from "./syntax.ts";
import { described, failure, isList, isRecord, JqError, type JqValue } from "./values.ts";

/** Compiles a query with the names in scope. */
export type CompileQuery = (query: JqQuery, names: JqNames | undefined) => Filter;

/** Binds names to parts of a value, in order. Calls `then` for each way to do so. */
export type Binder = (scope: JqScope, input: JqValue, value: JqValue, then: (bound: JqScope) => void) => void;

/** Returns a binder for a pattern, and the names after it. */
export function compilePattern(
  pattern: JqPattern,
  names: JqNames | undefined,
  compile: CompileQuery,
): { readonly bind: Binder; readonly names: JqNames | undefined } {
  const variables = [...new Set(namesOf(pattern))];
  const inner = variables.reduce<JqNames | undefined>((outer, name) => naming(outer, "value", name), names);
  const take = compileParts(pattern, names, compile);
  return {
    names: inner,
    bind(scope, input, value, then) {
      take(scope, input, value, new Map(), (found) => then(scopeWith(scope, variables, found)));
    },
  };
}

function scopeWith(
  scope: JqScope,
  variables: readonly string[],
  found: ReadonlyMap<string, JqValue>,
): JqScope {
  return variables.reduce((outer, name) => within(outer, found.get(name) ?? null), scope);
}

type Found = ReadonlyMap<string, JqValue>;
type Take = (
  scope: JqScope,
  input: JqValue,
  value: JqValue,
  found: Found,
  then: (found: Found) => void,
) => void;

/**
 * Compiles the parts of a pattern. Computed keys can use the names around the pattern, and those bound before in the
 * pattern.
 */
function compileParts(pattern: JqPattern, names: JqNames | undefined, compile: CompileQuery): Take {
  switch (pattern.kind) {
    case "Name":
      return (_, __, value, found, then) => then(new Map([...found, [pattern.name, value]]));
    case "Elements": {
      const items = pattern.items.map((item) => compileParts(item, names, compile));
      return (scope, input, value, found, then) => {
        if (value !== null && !isList(value)) throw failure(`expected an array but got: ${described(value)}`);
        inTurn(
          items,
          (item, index, before, next) => item(scope, input, indexed(value, index), before, next),
          found,
          then,
        );
      };
    }
    case "Fields": {
      const entries = pattern.entries.map(({ key, name, inner }) => ({
        key: compile(key, names),
        name,
        inner: inner && compileParts(inner, names, compile),
      }));
      return (scope, input, value, found, then) =>
        inTurn(
          entries,
          ({ key, name, inner }, _, before, next) =>
            key(scope, input, undefined, (field) => {
              if (typeof field === "string" && value !== null && !isRecord(value))
                throw failure(`expected an object but got: ${described(value)}`);
              const part = indexed(value, field);
              const named = name === undefined ? before : new Map([...before, [name, part]]);
              if (inner === undefined) next(named);
              else inner(scope, input, part, named, next);
            }),
          found,
          then,
        );
    }
  }
}

function inTurn<T>(
  items: readonly T[],
  take: (item: T, index: number, before: Found, next: (found: Found) => void) => void,
  found: Found,
  then: (found: Found) => void,
): void {
  function from(index: number, before: Found): void {
    const item = items[index];
    if (item === undefined) then(before);
    else take(item, index, before, (after) => from(index + 1, after));
  }
  from(0, found);
}

/** `source as pattern ?// pattern | body`: if a pattern, or the body with it, fails, the next pattern is tried. */
export function compilePatterns(
  query: Extract<JqQuery, { kind: "Bind" }>,
  names: JqNames | undefined,
  compile: CompileQuery,
): Filter {
  const source = compile(query.source, names);
  // The names of the other patterns are null.
  const all = [...new Set(query.patterns.flatMap(namesOf))];
  const inner = all.reduce<JqNames | undefined>((outer, name) => naming(outer, "value", name), names);
  const takes = query.patterns.map((pattern) => compileParts(pattern, names, compile));
  const body = compile(query.body, inner);
  return (scope, input, path, emit) =>
    source(scope, input, undefined, (value) => {
      for (const [index, take] of takes.entries()) {
        try {
          take(scope, input, value, new Map(), (found) =>
            body(scopeWith(scope, all, found), input, path, emit),
          );
          return;
        } catch (error) {
          if (!(error instanceof JqError) || index === takes.length - 1) throw error;
        }
      }
    });
}
