// `value[i]` and `value[a:b:c]`.

import type { Expression, IndexAccess, Slice } from "../../trees/mapping.ts";
import { alternativesOf } from "../../value-types/alternatives.ts";
import { elementAt } from "../../value-types/elements.ts";
import { arrayOf, integer, string, type Type, unknown } from "../../value-types/type.ts";
import { unionOf } from "../../value-types/union.ts";
import { ofTypeKinds, requireKinds, type TypeDemand, tell } from "./demands.ts";
import { fail, type Scope } from "./scope.ts";
import { indexable, numeric, type TypeKinds } from "./type-sets.ts";

/** `value[i]`: an element, a character of text, a byte as a number. */
export function inferIndex(node: IndexAccess, scope: Scope): Type {
  if (node.index.kind === "StringLiteral" && !scope.isGuarded) {
    const expected = `An index must be a number. Read a field with a dot: \`."${node.index.value}"\`.`;
    scope.inference.infer(node.receiver, scope);
    fail(scope, node.span, "type", "an index must be a number");
    scope.inference.report("GW3102", node.index.span, { operator: "[…]", found: "`string`", expected });
    return unknown;
  }
  const taken = inferTarget(node.receiver, scope);
  const index = inferBound(node.index, scope);
  fail(scope, node.span, "bounds", "the index may be out of bounds");
  if (taken.kind === "Unknown") return unknown;
  return unionOf(
    alternativesOf(taken).map((each) => {
      if (each.kind === "Array") return elementAt(each, index.kind === "Integer" ? index.value : undefined);
      return each.kind === "String" ? string : integer;
    }),
  );
}

/** `value[a:b:c]`: a part of the same type. */
export function inferSlice(node: Slice, scope: Scope): Type {
  const taken = inferTarget(node.receiver, scope);
  for (const bound of [node.start, node.stop, node.step]) if (bound !== undefined) inferBound(bound, scope);
  const { start, stop, step } = node;
  // One bound alone never lies the wrong way round; a step may be zero.
  if ((start !== undefined && stop !== undefined) || step !== undefined) {
    fail(scope, node.span, "bounds", "the lower bound may exceed the upper bound");
  }
  if (taken.kind === "Unknown") return unknown;
  return unionOf(
    alternativesOf(taken).map((each) => {
      if (each.kind === "Array") return arrayOf(each.items);
      return each.kind === "String" ? string : each;
    }),
  );
}

function inferTarget(receiver: Expression, scope: Scope): Type {
  const type = scope.inference.infer(receiver, scope);
  return requireKinds(
    receiver,
    type,
    demandOf(receiver, indexable, "It accepts arrays, strings and bytes.", scope),
    scope,
  );
}

function inferBound(bound: Expression, scope: Scope): Type {
  const type = scope.inference.infer(bound, scope);
  return requireKinds(bound, type, demandOf(bound, numeric, "An index must be a number.", scope), scope);
}

function demandOf(node: Expression, kinds: TypeKinds, expected: string, scope: Scope): TypeDemand {
  const codes = { certain: "GW3102", possible: "GW3103" } as const;
  return {
    takes: ofTypeKinds(kinds),
    user: "[…]",
    tell: (found, isCertain) => tell(scope, codes, node, { operator: "[…]", found, expected }, isCertain),
  };
}
