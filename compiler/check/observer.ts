// The interface for tools that inspect documents while they are edited: it passes scripts with the types of their
// expressions. A check without an observer neither computes nor keeps them.

import type { FieldNode } from "../trees/api.ts";
import type { Expression } from "../trees/mapping.ts";
import type { MessageType, Type } from "../value-types/type.ts";
import type { CheckedSet } from "./checked-set.ts";
import type { Failure } from "./inference/failures.ts";
import type { MappingScope } from "./mapping/checked.ts";

/** A field that contains a script. */
export type ScriptField = Extract<FieldNode, { readonly kind: "Mapping" | "Query" | "Template" }>;

/** A script at a place of a stream. A script that several messages reach, as in a loop, is observed once for each. */
export interface ObservedScript {
  readonly field: ScriptField;
  /**
   * The type of the script's message; `origin` differs from it for the result map of a branch: it is the branch's own
   * input.
   */
  readonly message: MessageType;
  readonly origin: MessageType;
  /** The names that the script may refer to. */
  readonly scope: MappingScope;
  /** The types of its expressions; for a chain of fields, only of the whole chain and its beginning. */
  readonly types: ReadonlyMap<Expression, Type>;
  readonly failures: readonly Failure[];
  /** The result of a mapping; absent for a script that does not change the message. */
  readonly result?: MessageType;
}

/** Receives the results of a check. Its methods do not throw. */
export interface CheckObserver {
  script(script: ObservedScript): void;
  /** Receives the whole set, which may contain mistakes: it must not be planned. */
  checked(set: CheckedSet): void;
}
