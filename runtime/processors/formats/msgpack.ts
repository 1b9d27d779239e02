// `msgpack`: converts MessagePack to JSON and back with methods of the mapping language.

import type { Processor } from "../../component/component.ts";
import { formatMsgpack, parseMsgpack } from "../../mapping/msgpack.ts";
import type { MsgpackOptions } from "../generated/msgpack-options.ts";
import { asDocument, converting, documentOf, failingAs } from "./converting.ts";

/** Converts each message from MessagePack to JSON. */
export function msgpackToJson(_options: MsgpackOptions): Processor {
  return converting("msgpack", (message) =>
    asDocument(
      message,
      failingAs("failed to convert MsgPack document to JSON", () => parseMsgpack(message.bytes(), "")),
    ),
  );
}

/** Converts the document of each message to MessagePack. */
export function msgpackFromJson(_options: MsgpackOptions): Processor {
  return converting("msgpack", (message) => {
    const document = documentOf(message);
    return message.withBytes(
      failingAs("failed to convert JSON to MsgPack", () => formatMsgpack(document, "")),
    );
  });
}
