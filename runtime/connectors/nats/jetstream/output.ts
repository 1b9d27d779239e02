import type { Output } from "../../../component/component.ts";
import { textOf } from "../../../component/text.ts";
import { connectNats } from "../client.ts";
import { connectedOutput } from "../connected-output.ts";
import { subjectCheck } from "../grammar.ts";
import { createHeaderMaker, createPassMetadata, type PassMetadata } from "../headers.ts";
import { type NatsJetstreamOutputOptions, natsJetstreamOutputDefaults } from "./generated/output-options.ts";
import { type MakePublication, Publishing } from "./publishing.ts";

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
  const make: MakePublication = (message, batch, index) => ({
    message,
    subject: checkSubject(textOf(settings.subject, batch, index)),
    content: message.bytes(),
    headers: makeHeaders(batch, index),
  });
  return connectedOutput(
    settings.max_in_flight,
    async (context) => new Publishing(await connectNats(settings, context), settings.subject, make),
  );
}

/** Like `natsJetstreamOutput`, with the metadata that `metadata` selects as headers. */
export function filteredNatsJetstreamOutput({ metadata, ...options }: NatsJetstreamOutputOptions): Output {
  return natsJetstreamOutput(options, createPassMetadata(metadata));
}
