import { type Output, textOf } from "../../../component.ts";
import { GatewayError } from "../../../errors.ts";
import type { Batch } from "../../../message.ts";
import { Slots } from "../../../slots.ts";
import { connectNats } from "../client.ts";
import { type Publication, Publishing } from "../jetstream/publishing.ts";
import { findBucket, subjectOf } from "./bucket.ts";
import { type NatsKvOutputOptions, natsKvOutputDefaults } from "./generated/output-options.ts";

/** Sets a key of a bucket to each message; a write resolves once the bucket has stored all its messages. */
export function natsKvOutput(options: NatsKvOutputOptions): Output {
  const settings = { ...natsKvOutputDefaults, ...options };
  const slots = new Slots(settings.max_in_flight);
  let publishing: Publishing | undefined;
  return {
    async start(context) {
      const connection = await connectNats(settings, context);
      publishing = new Publishing(connection);
      await findBucket(connection, settings.bucket);
    },
    async write(batch) {
      const started = publishing;
      if (started === undefined) throw new GatewayError(503, "NATS is not connected");
      const publications = batch.map((_, index) => publicationOf(settings, batch, index));
      await slots.use(() => started.publish(publications));
      return {};
    },
    async close() {
      await slots.idle();
      await publishing?.close();
    },
  };
}

function publicationOf(settings: NatsKvOutputOptions, batch: Batch, index: number): Publication {
  const key = textOf(settings.key, batch, index);
  // Of this form alone are the keys that other clients find again; the checker knows fixed texts.
  if (!/^[-/=\w]+(?:\.[-/=\w]+)*$/.test(key)) {
    throw new GatewayError(502, "What `key` gives is no key of a NATS bucket", { retryable: false });
  }
  return { subject: subjectOf(settings.bucket, key), content: batch[index]?.bytes() ?? new Uint8Array() };
}
