import { crc32 } from "node:zlib";
import type { Delivered, Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError } from "../../errors.ts";
import { join } from "../../mapping/merging.ts";
import { deletePath, getPath, parsePath } from "../../mapping/paths.ts";
import type { Batch, Message } from "../../message/message.ts";
import { isObject, type ObjectValue, type Value } from "../../message/value.ts";
import type { SequenceInputOptions } from "./generated/input-options.ts";
import { sequenceInput } from "./input.ts";

/** How two values at the same path are merged. */
type MergeStrategy = "array" | "replace" | "keep";

/** The messages that are held for one identifier. */
interface Held {
  readonly first: Message;
  readonly documents: ObjectValue[];
  readonly metadata: Map<string, Value>;
}

/** Joins messages by the text at a path of their documents. */
class Joiner {
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
   * Adds a message if it has an identifier that `isWanted` accepts; other messages are dropped. Returns a function
   * that creates the message that is joined so far.
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

  /** Yields a message for each identifier. */
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

/** Largest size of the content that one iteration may hold, in bytes. */
const heldLimit = 512 * 1024 * 1024;

/** Largest number of joined messages in progress. */
const inFlightLimit = 64;

/**
 * Reads a sequence once per iteration, and joins messages with the same identifier to one. Messages are acknowledged
 * immediately, because otherwise none of the inputs would continue: a crash loses the messages that are held.
 */
export function joinedSequenceInput(options: SequenceInputOptions): Input {
  const { sharded_join: join = {}, inputs } = options;
  const { iterations = 1, type = "none" } = join;
  const isOuter = type === "outer" || type === "outter";
  const joiner = new Joiner({ path: join.id_path ?? "", strategy: join.merge_strategy ?? "array" });
  const closing = new AbortController();
  let iteration = 0;
  let current: Input | undefined;
  let moving: Promise<void> = Promise.resolve();

  /** Starts the inputs again; each knows whether it is the last. */
  function begin(context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context);
    const turns = new Semaphore(inFlightLimit, context.collectors);
    const underWay = new Set<Promise<unknown>>();
    const send = async (batch: Batch) => {
      const delivery = turns.use(() => redelivery.deliver(batch, closing.signal));
      underWay.add(delivery);
      await delivery.finally(() => underWay.delete(delivery));
    };
    const take = async (batch: Batch, isLast: boolean): Promise<Delivered> => {
      for (const message of batch) {
        const joined = joiner.add(message, (id) => shardOf(id, iterations) === iteration);
        if (joiner.held > heldLimit) throw tooMuch(context);
        if (joined !== undefined && isLast && isOuter) await send([joined()]);
      }
      return {};
    };
    const last = inputs.length - 1;
    current = sequenceInput({
      inputs: inputs.map((create, place) => () => toJoiner(create(), (batch) => take(batch, place === last))),
    });
    return current.start({
      ...context,
      reportEnd: () => {
        moving = end(context, send, underWay).catch((error: unknown) => {
          context.log.error("joined messages are not delivered", { error });
          context.beginOutage?.("joined messages are not delivered");
        });
      },
    });
  }

  async function end(
    context: InputContext,
    send: (batch: Batch) => Promise<void>,
    underWay: ReadonlySet<Promise<unknown>>,
  ): Promise<void> {
    await current?.close();
    await Promise.all(underWay);
    if (!isOuter) for (const joined of joiner.all()) await send([joined]);
    joiner.clear();
    iteration += 1;
    if (closing.signal.aborted) return;
    if (iteration < iterations) await begin(context);
    else context.reportEnd?.();
  }

  return {
    start: begin,
    async close() {
      abort(closing);
      await current?.close();
      await moving;
      await current?.close();
    },
  };
}

/** Returns an input whose messages go to the joiner instead of the pipeline. */
function toJoiner(input: Input, take: (batch: Batch) => Promise<Delivered>): Input {
  return {
    start: (context) => input.start({ ...context, deliver: take }),
    close: () => input.close(),
  };
}

function shardOf(id: string, shards: number): number {
  return crc32(id) % shards;
}

function tooMuch(context: InputContext): GatewayError {
  const words = `more than ${heldLimit} bytes would be held to be joined: raise \`iterations\``;
  context.log.error(words);
  context.beginOutage?.(words);
  return new GatewayError(500, "The messages to be joined do not fit into memory", { retryable: false });
}
