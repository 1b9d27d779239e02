// What AMQP 1.0 can carry. A broker ends the link, or the connection, over what it cannot decode.

import { unfit, unfitText } from "../../grammar/computed-text.ts";

/** Bytes of annotations and properties together: they are the sections that brokers read as a whole. */
const largestProperties = 65_000;

/** Throws a `GatewayError` where a name or a text of the metadata is none, or all are too large. */
export function checkMetadata(metadata: readonly (readonly [name: string, value: unknown])[]): void {
  let size = 0;
  for (const [name, value] of metadata) {
    if (!name.isWellFormed()) throw unfit("A name of metadata is not a text that UTF-8 can hold");
    // Annotations are called by symbols, which are ASCII.
    if (name.startsWith("x-") && !/^[!-~]+$/.test(name))
      throw unfit("A name of metadata is not the name of an AMQP annotation");
    if (typeof value === "string" && !value.isWellFormed())
      throw unfitText("application_properties", "made of texts that UTF-8 can hold");
    size += Buffer.byteLength(name);
    if (typeof value === "string" || value instanceof Uint8Array) size += Buffer.byteLength(value);
  }
  if (size > largestProperties)
    throw unfit("The metadata of the message are larger than AMQP properties can be");
}
