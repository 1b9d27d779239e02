import type { Output } from "../../../component/component.ts";
import { WritesInTurns } from "../../../component/outcomes.ts";
import { textOf } from "../../../component/text.ts";
import { GatewayError } from "../../../errors.ts";
import { prepareAll } from "../../../grammar/unfit-messages.ts";
import type { Message } from "../../../message/message.ts";
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
  let publishing: Publishing | undefined;
  const writes = new WritesInTurns(settings.max_in_flight, (batch, outcome) => {
    const started = publishing;
    if (started === undefined) throw new GatewayError(503, "NATS is not connected");
    const prepare = (message: Message, index: number) =>
      started.prepare({
        message,
        subject: checkSubject(textOf(settings.subject, batch, index)),
        content: message.bytes(),
        headers: makeHeaders(batch, index),
      });
    started.publish(prepareAll(batch, prepare), outcome);
  });
  return {
    async start(context) {
      publishing = new Publishing(await connectNats(settings, context), settings.subject);
    },
    write: (batch) => writes.write(batch),
    writeEach: (messages, listener) => writes.writeEach(messages, listener),
    async close() {
      await writes.idle();
      await publishing?.close();
    },
  };
}

/** Like `natsJetstreamOutput`, with the metadata that `metadata` selects as headers. */
export function filteredNatsJetstreamOutput({ metadata, ...options }: NatsJetstreamOutputOptions): Output {
  return natsJetstreamOutput(options, createPassMetadata(metadata));
}
