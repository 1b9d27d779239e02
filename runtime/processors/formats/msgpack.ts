// `msgpack`: MessagePack as JSON and back, by the methods of the mapping language.

import type { Processor } from "../../component/component.ts";
import { formatMsgpack, formatShortMsgpack, parseMsgpack } from "../../mapping/msgpack.ts";
import type { MsgpackOptions } from "../generated/msgpack-options.ts";
import { asDocument, converting, documentOf, failingAs } from "./converting.ts";

/** Reads each message as MessagePack. */
export function msgpackToJson(_options: MsgpackOptions): Processor {
  return converting("msgpack", (message) =>
    asDocument(
      message,
      failingAs("failed to convert MsgPack document to JSON", () => parseMsgpack(message.bytes(), "")),
    ),
  );
}

/** Writes the document of each message as MessagePack; integers as short as they go, unless a mapping made them, as the reference does. */
export function msgpackFromJson(_options: MsgpackOptions): Processor {
  return converting("msgpack", (message) => {
    const document = documentOf(message);
    const format = message.isMade ? formatMsgpack : formatShortMsgpack;
    return message.withBytes(failingAs("failed to convert JSON to MsgPack", () => format(document, "")));
  });
}
