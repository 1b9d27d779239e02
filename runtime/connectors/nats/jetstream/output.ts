import type { Output } from "../../../component/component.ts";
import { writeInTurns } from "../../../component/outcomes.ts";
import { textOf } from "../../../component/text.ts";
import { Semaphore } from "../../../concurrency/semaphore.ts";
import { GatewayError } from "../../../errors.ts";
import { prepareAll } from "../../../grammar/unfit-messages.ts";
import type { Batch } from "../../../message/message.ts";
import { connectNats } from "../client.ts";
import { subjectCheck } from "../grammar.ts";
import { createHeaderMaker, createPassMetadata, type PassMetadata } from "../headers.ts";
import { type NatsJetstreamOutputOptions, natsJetstreamOutputDefaults } from "./generated/output-options.ts";
import { Publishing } from "./publishing.ts";

/**
 * Publishes each message to a subject. A write resolves once streams have stored all of its messages. `pass` selects
 * metadata that are sent as headers; a gateway whose document has no `metadata` does not include the filter.
 */
export function natsJetstreamOutput(
  options: Omit<NatsJetstreamOutputOptions, "metadata">,
  pass?: PassMetadata,
): Output {
  const settings = { ...natsJetstreamOutputDefaults, ...options };
  const makeHeaders = createHeaderMaker(settings.headers, pass);
  const checkSubject = subjectCheck(settings.subject);
  const inFlight = new Semaphore(settings.max_in_flight);
  let publishing: Publishing | undefined;
  const prepare = (started: Publishing, batch: Batch) =>
    prepareAll(batch, (message, index) =>
      started.prepare({
        subject: checkSubject(textOf(settings.subject, batch, index)),
        content: message.bytes(),
        headers: makeHeaders(batch, index),
      }),
    );
  return {
    async start(context) {
      publishing = new Publishing(await connectNats(settings, context));
    },
    async write(batch) {
      const started = publishing;
      if (started === undefined) throw new GatewayError(503, "NATS is not connected");
      const publications = prepare(started, batch);
      return inFlight.use(() => started.publish(publications));
    },
    writeEach(messages, listener) {
      writeInTurns(inFlight, messages, listener, (batch, outcome) => {
        if (publishing === undefined) throw new GatewayError(503, "NATS is not connected");
        publishing.add(prepare(publishing, batch), outcome);
      });
    },
    async close() {
      await inFlight.idle();
      await publishing?.close();
    },
  };
}

/** Like `natsJetstreamOutput`, with the metadata that `metadata` selects as headers. */
export function filteredNatsJetstreamOutput({ metadata, ...options }: NatsJetstreamOutputOptions): Output {
  return natsJetstreamOutput(options, createPassMetadata(metadata));
}
