// `csv`, and `csv:;` for another delimiter.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { parseCsv } from "../../mapping/csv.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import type { UnarchiveOptions } from "../generated/unarchive-options.ts";
import { unarchiving } from "./unpacking.ts";

/** Makes a message of each row: an object of texts, with the names in the first row as keys. */
export function unarchiveCsv(options: UnarchiveOptions): Processor {
  const delimiter = options.format.startsWith("csv:") ? options.format.slice("csv:".length) : ",";
  return unarchiving(options, (message, room) =>
    rowsOf(decodeUtf8(message.bytes()), delimiter).map((row) => {
      const part = message.withDocument(row);
      room.take(part.bytes().length);
      return part;
    }),
  );
}

function rowsOf(text: string, delimiter: string): ReturnType<typeof parseCsv> {
  if (text === "") return [];
  try {
    return parseCsv(text, "", true, delimiter, false);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw new MappingError(`failed to parse message as csv: ${error.message}`);
  }
}
