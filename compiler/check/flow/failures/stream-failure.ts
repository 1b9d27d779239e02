// The failures of a message on its way through a stream, and the destination of the message afterwards.

import type { Span } from "../../../source/source.ts";
import type { ComponentNode } from "../../../trees/api.ts";

/** A failure on a message: of an expression in a script, or of a component itself. */
export interface StreamFailure {
  /** The component that flags the message. */
  readonly component: ComponentNode;
  /** The source range of the expression; of the component's name if the component itself fails. */
  readonly span: Span;
  /** One clause: `` `/` does not take `null` ``. */
  readonly reason: string;
}

/** The destination of a message that something failed on. */
export type Destination =
  /** It is rejected to the input: a caller receives an error, a broker keeps it. */
  | { readonly kind: "input" }
  /** It is delivered; `isMeant` if the output is intended for such messages. */
  | { readonly kind: "output"; readonly output: ComponentNode; readonly isMeant: boolean }
  /** It is passed to the output of `error_handling`. */
  | { readonly kind: "deadLetter"; readonly output: ComponentNode | undefined }
  /** A component that is intended for it removes the flag, or the message. */
  | { readonly kind: "handled"; readonly by: ComponentNode };

/** A failure, and every possible destination of the message. */
export interface FailureFlow extends StreamFailure {
  readonly reaches: readonly Destination[];
  /** Whether a mapping reads the failure on the way, and so can mark the message. */
  readonly isRead: boolean;
}

/** Returns the destination in words that follow "goes to": `the input`, `` `kafka` ``. */
export function printDestination(destination: Destination): string {
  switch (destination.kind) {
    case "input":
      return "the input (rejected)";
    case "output":
      return `\`${printComponent(destination.output)}\``;
    case "deadLetter":
      return destination.output === undefined
        ? "the dead-letter output"
        : `the dead-letter output \`${printComponent(destination.output)}\``;
    case "handled":
      return `\`${printComponent(destination.by)}\`, which handles it`;
  }
}

function printComponent({ name, label }: ComponentNode): string {
  return label ?? name;
}
