// Messages with the same identifier, put together.

import { join } from "../../mapping/merging.ts";
import { deletePath, getPath, parsePath } from "../../mapping/paths.ts";
import type { Message } from "../../message/message.ts";
import { isObject, type ObjectValue, type Value } from "../../message/value.ts";

/** What becomes of two values at the same place. */
export type MergeStrategy = "array" | "replace" | "keep";

/** What is held of one identifier. */
interface Held {
  readonly first: Message;
  readonly documents: ObjectValue[];
  readonly metadata: Map<string, Value>;
}

/** Joins messages by the text at a path of their documents. */
export class Joiner {
  readonly #segments: readonly string[];
  readonly #path: string;
  readonly #strategy: MergeStrategy;
  readonly #messages = new Map<string, Held>();
  #held = 0;

  constructor({ path, strategy }: { readonly path: string; readonly strategy: MergeStrategy }) {
    this.#path = path;
    this.#segments = parsePath(path);
    this.#strategy = strategy;
  }

  /** Bytes of content that were added since `clear`. */
  get held(): number {
    return this.#held;
  }

  /**
   * Adds a message, if it has an identifier that `isWanted`; gives what makes the message joined so far. What has none is
   * dropped.
   */
  add(message: Message, isWanted: (id: string) => boolean): (() => Message) | undefined {
    if (message.failure !== undefined) return undefined;
    const document = message.document();
    if (document === undefined || !isObject(document)) return undefined;
    const id = getPath(document, this.#path);
    if (typeof id !== "string" || id === "" || !isWanted(id)) return undefined;
    this.#held += message.bytes().length;
    const held = this.#messages.get(id);
    if (held === undefined) {
      const first: Held = { first: message, documents: [document], metadata: new Map(message.metadata) };
      this.#messages.set(id, first);
      return () => joined(first, this.#strategy);
    }
    const others = deletePath(document, this.#segments);
    if (isObject(others)) held.documents.push(others);
    for (const [name, value] of message.metadata) held.metadata.set(name, value);
    return () => joined(held, this.#strategy);
  }

  /** A message for each identifier. */
  *all(): Iterable<Message> {
    for (const held of this.#messages.values()) yield joined(held, this.#strategy);
  }

  /** Forgets everything. */
  clear(): void {
    this.#messages.clear();
    this.#held = 0;
  }
}

function joined({ first, documents, metadata }: Held, strategy: MergeStrategy): Message {
  return first.withDocument(join(documents, strategy)).withMetadata(metadata, first.parameters);
}
