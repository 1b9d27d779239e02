// Messages that were not delivered, on their way to the dead-letter output.

import type { DeadLetters, Delivered, Output } from "../component/component.ts";
import { joinDelivered, oneByOne } from "../component/outcomes.ts";
import { UnfitMessages } from "../component/unfit-messages.ts";
import { GatewayError } from "../errors.ts";
import type { Batch, Message } from "../message/message.ts";
import { metadataText } from "../message/metadata.ts";
import type { Value } from "../message/value.ts";

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
    return oneByOne(error.undelivered(letters), (letter) => writeLetters(output, [letter]));
  }
}

/** As `DeadLetters.isUnfit`. */
function isUnfit(error: unknown): error is GatewayError {
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
const writeAll: DeadLetters["writeAll"] = async (writes, outputs, stream, tally) => {
  const own = writes.filter(({ output }) => output === outputs.main);
  const letters = writes.filter(({ output }) => output !== outputs.main).map(({ batch }) => batch);
  const giveUp = (unfit: Batch) => {
    tally.written -= unfit.length;
    tally.deadLettered += unfit.length;
    letters.push(unfit.flatMap((message) => toDeadLetter(message, stream)));
  };
  const delivered =
    own.length === 0
      ? {}
      : await joinDelivered(own.map(({ batch }) => writeOthers(batch, outputs.main, giveUp)));
  if (letters.length === 0) return delivered;
  return joinDelivered([
    Promise.resolve(delivered),
    ...letters.map((batch) => writeLetters(outputs.letters, batch)),
  ]);
};

/** Writes a batch to the stream's own output. Passes the messages that this output can never carry to `giveUp`. */
async function writeOthers(batch: Batch, main: Output, giveUp: (unfit: Batch) => void): Promise<Delivered> {
  try {
    return await main.write(batch);
  } catch (error) {
    if (!(error instanceof UnfitMessages)) throw error;
    const unfit = unfitOf(batch, error);
    if (unfit.length === 0 || (batch.length > 1 && unfit.length !== error.failures.size)) {
      // Which were at fault is not known of messages that were made into others on their way: each alone tells.
      return oneByOne(batch, (message) => writeOthers([message], main, giveUp));
    }
    giveUp(unfit);
    if (unfit.length === batch.length || error.othersDelivered) return {};
    const others = batch.filter((message) => !error.failures.has(message));
    return writeOthers(others, main, giveUp);
  }
}

/** The messages of a batch that are at fault, flagged. A batch of one is at fault whatever was made of it. */
function unfitOf(batch: Batch, error: UnfitMessages): Batch {
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
