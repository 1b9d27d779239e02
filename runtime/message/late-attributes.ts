import type { GatewayError } from "../errors.ts";
import type { MessageAttributes, Metadata } from "./message.ts";
import type { PartPosition } from "./positions.ts";

/** What a message of a broker carries. Its metadata is collected when something reads it: many streams read nothing of it. */
export abstract class LateAttributes implements MessageAttributes {
  readonly parameters = undefined;
  readonly failure: GatewayError | undefined;
  readonly failureSource = undefined;
  readonly trace = undefined;
  readonly parentTrace = undefined;
  readonly place = 0;
  readonly position: PartPosition | undefined;
  #metadata: Metadata | undefined = undefined;

  /** `failure`: why the message cannot be read. */
  constructor(position?: PartPosition, failure?: GatewayError) {
    this.position = position;
    this.failure = failure;
  }

  get metadata(): Metadata {
    this.#metadata ??= this.collect();
    return this.#metadata;
  }

  /** Called once at most. */
  protected abstract collect(): Metadata;
}
