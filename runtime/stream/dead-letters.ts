// Messages that were not delivered, on their way to the dead-letter output.

import type { DeadLetters, Delivered, Output } from "../component/component.ts";
import { joinDelivered } from "../component/outcomes.ts";
import {
  divideWrite,
  oneByOne,
  UnfitMessages,
  unfitMessage,
  withOthersLeft,
} from "../component/unfit-messages.ts";
import { GatewayError } from "../errors.ts";
import { noteFailure } from "../failures/place.ts";
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
 * Writes dead letters. One that its output cannot carry is written once more without the metadata that protocols refuse:
 * they are the message's own, and would keep it from here as they kept it from its destination. Letters that are refused all
 * the same keep no other from being written; the failure names them.
 */
async function writeLetters(output: Output, letters: Batch): Promise<Delivered> {
  try {
    return await output.write(letters);
  } catch (error) {
    if (error instanceof GatewayError) noteFailure(error, output);
    if (!isUnfit(error)) throw error;
    const [only] = letters;
    return letters.length === 1 && only !== undefined
      ? writePlain(output, only, error)
      : oneByOne(error.undelivered(letters), (letter) => writeLetters(output, [letter]));
  }
}

/** Writes a letter, which the output has refused with `refusal`, without the metadata that protocols refuse. */
async function writePlain(output: Output, letter: Message, refusal: GatewayError): Promise<Delivered> {
  if (refusal.status !== 422) throw unfitMessage(letter, refusal); // the server does not allow its target
  try {
    return await output.write([withPlainMetadata(letter)]);
  } catch (error) {
    throw isUnfit(error) ? unfitMessage(letter, error) : error;
  }
}

/** As `DeadLetters.isUnfit`. */
function isUnfit(error: unknown): error is GatewayError {
  if (error instanceof UnfitMessages) return true;
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
  let delivered: Delivered = {};
  try {
    if (own.length > 0)
      delivered = await joinDelivered(own.map(({ batch }) => writeOthers(batch, outputs.main, giveUp)));
  } catch (error) {
    throw letters.length === 0 ? error : withOthersLeft(error);
  }
  if (letters.length === 0) return delivered;
  return joinDelivered([
    Promise.resolve(delivered),
    ...letters.map((batch) => writeLetters(outputs.letters, batch)),
  ]);
};

/** Writes a batch to the stream's own output. Passes the messages that this output can never carry to `giveUp`, flagged. */
async function writeOthers(batch: Batch, main: Output, giveUp: (unfit: Batch) => void): Promise<Delivered> {
  try {
    return await main.write(batch);
  } catch (error) {
    if (!(error instanceof UnfitMessages)) throw error;
    const divided = divideWrite(batch, error);
    if (divided === undefined) return oneByOne(batch, (message) => writeOthers([message], main, giveUp));
    giveUp(divided.failed.map(([message, failure]) => message.withFailure(failure)));
    return divided.left.length === 0 ? {} : writeOthers(divided.left, main, giveUp);
  }
}

/** What `error_handling` with `dead_letter` brings along. */
export function deadLetters(): DeadLetters {
  return { of: toDeadLetter, write: writeLetters, writeAll, isUnfit };
}
