// What a check can hand to those who look at documents while they are written: scripts with the types of their
// expressions. Nothing of it is kept or computed for a check without an observer.

import type { FieldNode } from "../trees/api.ts";
import type { Expression } from "../trees/mapping.ts";
import type { MessageType, Type } from "../value-types/type.ts";
import type { CheckedSet } from "./checked-set.ts";
import type { Failure } from "./inference/failures.ts";
import type { MappingScope } from "./mapping/checked.ts";

/** A field that holds a script. */
export type ScriptField = Extract<FieldNode, { readonly kind: "Mapping" | "Query" | "Template" }>;

/** A script at a place of a stream. One that several messages come to, as in a loop, is observed once for each. */
export interface ObservedScript {
  readonly field: ScriptField;
  /** The type of the script's message; for the result map of a branch also that of the branch's own input. */
  readonly message: MessageType;
  readonly origin: MessageType;
  /** What the script may refer to. */
  readonly scope: MappingScope;
  /** The types of its expressions; of a chain of fields only the whole of it and its beginning. */
  readonly types: ReadonlyMap<Expression, Type>;
  readonly failures: readonly Failure[];
  /** What a mapping makes of the message; absent for what leaves it alone. */
  readonly result?: MessageType;
}

/** Gets to know what a check finds out. Its methods do not throw. */
export interface CheckObserver {
  script(script: ObservedScript): void;
  /** The whole of it, which may hold mistakes: it is not for planning. */
  checked(set: CheckedSet): void;
}
