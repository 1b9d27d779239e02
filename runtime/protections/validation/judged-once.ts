// Schemas that refer to themselves, in time that grows with the size of the value: alternatives that share such a schema ask
// for the same parts again, which makes twice as much work at each level of the value.

import type { SchemaError } from "./check.ts";

/** A schema as ajv writes it, for those that are part of another one. */
export interface InnerCheck {
  (value: unknown, at: Place): boolean;
  errors?: readonly SchemaError[] | null | undefined;
  /** The fields that the last value has and the schema knows, for `unevaluatedProperties` around it. */
  evaluated?: object | undefined;
}

/** Where a value stands: what ajv hands on, of which only the whole value matters here. */
interface Place {
  readonly rootData: unknown;
}

/** What a check said of a value. */
interface Judgement {
  readonly fits: boolean;
  readonly errors: readonly SchemaError[] | null | undefined;
  readonly evaluated: object | undefined;
}

/** Errors of one part that are kept: alternatives repeat those of their parts, and callers see fewer. */
const mostErrors = 20;

/** The same check, which judges each object and list of a value once. */
export function judgedOnce(check: InnerCheck): InnerCheck {
  const judgements = new WeakMap<object, Map<unknown, Judgement>>();
  const tell = ({ fits, errors, evaluated }: Judgement): boolean => {
    once.errors = errors;
    once.evaluated = evaluated;
    return fits;
  };
  const once: InnerCheck = (value, at) => {
    const { rootData: root } = at;
    const isShared = typeof value === "object" && value !== null && typeof root === "object" && root !== null;
    if (!isShared) return tell(judge(check, value, at));
    const ofRoot = judgements.get(root) ?? new Map<unknown, Judgement>();
    judgements.set(root, ofRoot);
    const judgement = ofRoot.get(value) ?? judge(check, value, at);
    ofRoot.set(value, judgement);
    return tell(judgement);
  };
  return once;
}

function judge(check: InnerCheck, value: unknown, at: Place): Judgement {
  const fits = check(value, at);
  // ajv reuses this object for the next value.
  const evaluated = check.evaluated === undefined ? undefined : { ...check.evaluated };
  return { fits, errors: fits ? null : check.errors?.slice(0, mostErrors), evaluated };
}
