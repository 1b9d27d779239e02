// `msgpack`: MessagePack as JSON and back, by the methods of the mapping language.

import type { Processor } from "../../component/component.ts";
import { formatMsgpack, parseMsgpack } from "../../mapping/msgpack.ts";
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

/** Writes the document of each message as MessagePack. */
export function msgpackFromJson(_options: MsgpackOptions): Processor {
  return converting("msgpack", (message) => {
    const document = documentOf(message);
    return message.withBytes(
      failingAs("failed to convert JSON to MsgPack", () => formatMsgpack(document, "")),
    );
  });
}
