import type { Output } from "../../../component/component.ts";
import { WritesInTurns } from "../../../component/outcomes.ts";
import { textOf } from "../../../component/text.ts";
import { GatewayError } from "../../../errors.ts";
import { prepareAll } from "../../../grammar/unfit-messages.ts";
import { connectNats } from "../client.ts";
import { keyCheck } from "../grammar.ts";
import { Publishing } from "../jetstream/publishing.ts";
import { findBucket, subjectOf } from "./bucket.ts";
import { type NatsKvOutputOptions, natsKvOutputDefaults } from "./generated/output-options.ts";

/** Sets a key of a bucket for each message. A write resolves once the bucket has stored all of its messages. */
export function natsKvOutput(options: NatsKvOutputOptions): Output {
  const settings = { ...natsKvOutputDefaults, ...options };
  const checkKey = keyCheck();
  let publishing: Publishing | undefined;
  const writes = new WritesInTurns(settings.max_in_flight, (batch, outcome) => {
    const started = publishing;
    if (started === undefined) throw new GatewayError(503, "NATS is not connected");
    const publications = prepareAll(batch, (message, index) => {
      const key = checkKey(textOf(settings.key, batch, index));
      return started.prepare({ message, subject: subjectOf(settings.bucket, key), content: message.bytes() });
    });
    started.publish(publications, outcome);
  });
  return {
    async start(context) {
      const connection = await connectNats(settings, context);
      publishing = new Publishing(connection, settings.key);
      await findBucket(connection, settings.bucket);
    },
    write: (batch) => writes.write(batch),
    writeEach: (messages, listener) => writes.writeEach(messages, listener),
    async close() {
      await writes.idle();
      await publishing?.close();
    },
  };
}
