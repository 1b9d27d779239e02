// Determines how a stream handles failed messages: by its own `error_handling`, otherwise by that of its set.

import type { Span } from "../source/source.ts";
import type { ComponentNode, StreamNode } from "../trees/api.ts";
import { type DocumentNode, findEntry, findText } from "../trees/document.ts";
import { findField, literalText } from "../trees/fields.ts";
import type { SetModel } from "./set.ts";

/** `error_handling`, with its defaults. */
export interface DeclaredErrorHandling {
  readonly strategy: "reject" | "none" | "dead_letter";
  /** The place where the strategy is written. */
  readonly span: Span | undefined;
  readonly deadLetter: ComponentNode | undefined;
  /** Whether messages of brokers also become dead letters after some attempts. */
  readonly givesUp: boolean;
  /** Whether the stream configures this itself. */
  readonly isOwn: boolean;
}

/** Returns the entries of `error_handling`. */
export function readErrorHandling(node: DocumentNode | undefined) {
  return {
    strategy: findEntry(node, "strategy"),
    attempts: findEntry(node, "max_attempts"),
    output: findEntry(node, "output"),
  };
}

/** Returns the error handling that applies to a stream. */
export function findErrorHandling(
  { errorHandling, deadLetter }: StreamNode,
  { process }: Pick<SetModel, "process">,
): DeclaredErrorHandling {
  if (errorHandling !== undefined) {
    const { strategy, attempts } = readErrorHandling(errorHandling);
    return {
      strategy: strategyOf(findText(strategy?.value)),
      span: strategy?.value.span,
      deadLetter,
      givesUp: attempts !== undefined && !(attempts.value.kind === "scalar" && attempts.value.value === 0),
      isOwn: true,
    };
  }
  const common = process.errorHandling?.field;
  const strategy = findField(common, "strategy");
  const output = findField(common, "output");
  return {
    strategy: strategyOf(literalText(strategy)),
    span: strategy?.span,
    deadLetter: output?.kind === "Component" ? output.component : undefined,
    givesUp: findField(common, "max_attempts") !== undefined,
    isOwn: false,
  };
}

function strategyOf(text: string | undefined): DeclaredErrorHandling["strategy"] {
  return text === "none" || text === "dead_letter" ? text : "reject";
}
