import type { Output } from "../../../component/component.ts";
import { textOf } from "../../../component/text.ts";
import { connectNats } from "../client.ts";
import { connectedOutput } from "../connected-output.ts";
import { keyCheck } from "../grammar.ts";
import { type MakePublication, Publishing } from "../jetstream/publishing.ts";
import { findBucket, subjectOf } from "./bucket.ts";
import { type NatsKvOutputOptions, natsKvOutputDefaults } from "./generated/output-options.ts";

/** Sets a key of a bucket for each message. A write resolves once the bucket has stored all of its messages. */
export function natsKvOutput(options: NatsKvOutputOptions): Output {
  const settings = { ...natsKvOutputDefaults, ...options };
  const checkKey = keyCheck();
  const make: MakePublication = (message, batch, index) => ({
    message,
    subject: subjectOf(settings.bucket, checkKey(textOf(settings.key, batch, index))),
    content: message.bytes(),
  });
  return connectedOutput(settings.max_in_flight, async (context) => {
    const connection = await connectNats(settings, context);
    await findBucket(connection, settings.bucket);
    return new Publishing(connection, settings.key, make);
  });
}
