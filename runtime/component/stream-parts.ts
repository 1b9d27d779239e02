// What one instance of a stream is made of.

import type { Input, Output, Processor } from "./component.ts";
import type { Resource } from "./resource.ts";

/** What happens to messages that a processor failed on. */
export interface ErrorHandling {
  /** `reject`: refuse to the input; `none`: deliver anyway; `dead_letter`: hand to `output`. */
  readonly strategy: "reject" | "none" | "dead_letter";
  /** Attempts before a broker message counts as undeliverable; 0 means without end. */
  readonly max_attempts?: number;
  readonly output?: Output;
}

/** The parts of one stream instance, unstarted. */
export interface StreamParts {
  readonly input: Input;
  readonly pipeline?: readonly Processor[];
  /** Batches among the processors at a time; any number where absent. */
  readonly threads?: number;
  readonly output: Output;
  readonly errorHandling?: ErrorHandling;
  /** What the parts share; started before them and closed after them. */
  readonly resources?: readonly Resource[];
  /** Makes parts anew around the same resources; absent where there are none. */
  readonly again?: () => StreamParts;
}
