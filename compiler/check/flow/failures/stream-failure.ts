// What can go wrong with a message on its way through a stream, and where the message gets to when it does.

import type { Span } from "../../../source/source.ts";
import type { ComponentNode } from "../../../trees/api.ts";

/** Something that can fail on a message: an expression of a script, or what a component does by itself. */
export interface StreamFailure {
  /** The component that flags the message. */
  readonly component: ComponentNode;
  /** The expression; the component's name where it is the component itself. */
  readonly span: Span;
  /** One clause: `` `/` does not take `null` ``. */
  readonly reason: string;
}

/** What becomes of a message that something failed on. */
export type Destination =
  /** It is refused to the input: a caller gets an error, a broker keeps it. */
  | { readonly kind: "input" }
  /** It is delivered; `isMeant` where the output is there for such messages. */
  | { readonly kind: "output"; readonly output: ComponentNode; readonly isMeant: boolean }
  /** It is handed to the output of `error_handling`. */
  | { readonly kind: "deadLetter"; readonly output: ComponentNode | undefined }
  /** Its flag is taken away, or the message itself is, by a component that is there for that. */
  | { readonly kind: "handled"; readonly by: ComponentNode };

/** A failure, and everything that can become of the message. */
export interface FailureFlow extends StreamFailure {
  readonly reaches: readonly Destination[];
  /** A mapping asks for failures on the way, and so can mark the message. */
  readonly isAsked: boolean;
}

/** The destination in words that follow "goes to": `the input`, `` `kafka` ``. */
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
