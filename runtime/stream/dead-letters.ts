// Messages that were not delivered, on their way to the dead-letter output.

import type { DeadLetters, Delivered, Output, WriteTally } from "../component/component.ts";
import { deliverAfter, joinDelivered, oneByOne } from "../component/outcomes.ts";
import { UnfitMessages } from "../component/unfit-messages.ts";
import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { metadataText } from "../message/metadata.ts";
import type { Value } from "../message/value.ts";

type Outputs = Parameters<DeadLetters["writeAll"]>[1];

/** As `DeadLetters.of`. */
function toDeadLetter(message: Message, stream: string): readonly Message[] {
  if (message.failure === undefined) return [];
  const reason = [
    ["dead_letter_reason", message.failure.message],
    ["dead_letter_stream", stream],
  ] as const;
  return [message.withEntries(reason).withFailure(undefined)];
}

/**
 * Writes dead letters. One that its output can never carry is written once more without the metadata that protocols refuse:
 * they are the message's own, and would keep it from here as they kept it from its destination.
 */
async function writeLetters(output: Output, letters: Batch): Promise<Delivered> {
  try {
    return await output.write(letters);
  } catch (error) {
    if (!isUnfit(error)) throw error;
    const [only] = letters;
    if (letters.length === 1 && only !== undefined) return output.write([withPlainMetadata(only)]);
    return oneByOne(letters, (letter) => writeLetters(output, [letter]));
  }
}

/** As `DeadLetters.isUnfit`. */
function isUnfit(error: unknown): boolean {
  return error instanceof GatewayError && error.status === 422 && !error.retryable;
}

/** Characters of metadata that a letter keeps at most, and of its reason: as much as every protocol carries. */
const mostPlain = { all: 2048, reason: 512 };

/** The same message with those metadata that every protocol carries; the reason becomes such a text. */
function withPlainMetadata(message: Message): Message {
  const reason = metadataText(message.metadata.get("dead_letter_reason") ?? "").toString();
  const plain = new Map<string, Value>([
    ["dead_letter_reason", reason.replace(/[^\x20-\x7e]+/g, " ").slice(0, mostPlain.reason)],
  ]);
  let left = mostPlain.all;
  for (const [name, value] of message.metadata) {
    const text = metadataText(value);
    const isPlain = typeof text === "string" && /^[\x20-\x7e]*$/.test(text) && /^[\w.-]+$/.test(name);
    if (!isPlain || name.length + text.length > left || plain.has(name)) continue;
    left -= name.length + text.length;
    plain.set(name, value);
  }
  return message.withMetadata(plain);
}

/** As `DeadLetters.writeAll`. If other messages fail, the input delivers all again, and letters would be there twice. */
const writeAll: DeadLetters["writeAll"] = (writes, outputs, stream, tally) => {
  const own = writes.filter(({ output }) => output === outputs.main);
  const letters = writes.filter(({ output }) => output !== outputs.main);
  const write = () => joinDelivered(letters.map(({ output, batch }) => writeLetters(output, batch)));
  if (own.length === 0) return write();
  const delivered = joinDelivered(own.map(({ batch }) => divert(batch, outputs, stream, tally)));
  return letters.length === 0 ? delivered : deliverAfter(delivered, write);
};

/** Writes a batch to the stream's own output, and the messages that this output can never carry to the other one. */
async function divert(batch: Batch, outputs: Outputs, stream: string, tally: WriteTally): Promise<Delivered> {
  try {
    return await outputs.main.write(batch);
  } catch (error) {
    if (!(error instanceof UnfitMessages)) throw error;
    const letters = lettersOf(batch, error).flatMap((message) => toDeadLetter(message, stream));
    if (letters.length === 0 || (batch.length > 1 && letters.length !== error.failures.size)) {
      // Which were at fault is not known of messages that were made into others on their way: each alone tells.
      return oneByOne(batch, (message) => divert([message], outputs, stream, tally));
    }
    tally.written -= letters.length;
    tally.deadLettered += letters.length;
    const write = () => writeLetters(outputs.letters, letters);
    if (letters.length === batch.length || error.othersDelivered) return write();
    const others = batch.filter((message) => !error.failures.has(message));
    return deliverAfter(outputs.main.write(others), write);
  }
}

/** The messages of a batch that are at fault, flagged. A batch of one is at fault whatever was made of it. */
function lettersOf(batch: Batch, error: UnfitMessages): Batch {
  const { failures } = error;
  const [only] = batch;
  const [first] = failures.values();
  if (batch.length === 1 && only !== undefined) return [only.withFailure(first ?? error)];
  return batch.flatMap((message) => {
    const failure = failures.get(message);
    return failure === undefined ? [] : [message.withFailure(failure)];
  });
}

/** What `error_handling` with `dead_letter` brings along. */
export function deadLetters(): DeadLetters {
  return { of: toDeadLetter, write: writeLetters, writeAll, isUnfit };
}
