// Makes schemas that refer to themselves take time linear in the size of the value: alternatives that share such a
// schema check the same parts again, which would double the work at each level of the value.

import type { SchemaError } from "./check.ts";

/** A check that ajv generates for a schema inside another one. */
export interface InnerCheck {
  (value: unknown, at: Place): boolean;
  errors?: readonly SchemaError[] | null | undefined;
  /** The fields of the last value that the schema knows, for `unevaluatedProperties` of an outer schema. */
  evaluated?: object | undefined;
}

/** The position of a value, as ajv passes it on; only the whole value matters here. */
interface Place {
  readonly rootData: unknown;
}

/** The result of a check for a value. */
interface Judgement {
  readonly fits: boolean;
  readonly errors: readonly SchemaError[] | null | undefined;
  readonly evaluated: object | undefined;
}

/** The most errors that are kept of one part: alternatives repeat those of their parts, and callers see fewer. */
const mostErrors = 20;

/** Returns the same check, which checks each object and list of a value once. */
export function judgedOnce(check: InnerCheck): InnerCheck {
  const judgements = new WeakMap<object, Map<unknown, Judgement>>();
  const adopt = ({ fits, errors, evaluated }: Judgement): boolean => {
    // The caller appends its own errors to the list.
    once.errors = errors && [...errors];
    once.evaluated = evaluated;
    return fits;
  };
  const once: InnerCheck = (value, at) => {
    const { rootData: root } = at;
    const isShared = typeof value === "object" && value !== null && typeof root === "object" && root !== null;
    if (!isShared) return adopt(judge(check, value, at));
    const ofRoot = judgements.get(root) ?? new Map<unknown, Judgement>();
    judgements.set(root, ofRoot);
    const judgement = ofRoot.get(value) ?? judge(check, value, at);
    ofRoot.set(value, judgement);
    return adopt(judgement);
  };
  return once;
}

function judge(check: InnerCheck, value: unknown, at: Place): Judgement {
  const fits = check(value, at);
  // ajv reuses this object for the next value.
  const evaluated = check.evaluated === undefined ? undefined : { ...check.evaluated };
  return { fits, errors: fits ? null : check.errors?.slice(0, mostErrors), evaluated };
}
