// Code shared by all archive formats for writing.

import type { Processor } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { toGatewayError } from "../../errors.ts";
import { filePath } from "../../generated/formats.ts";
import { checkText } from "../../grammar/computed-text.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";

/**
 * Packs a batch into one message, with the metadata of the first. If the archive cannot be made, all messages continue
 * unchanged, marked as failed. `pathOf`: returns the name of a message in the archive.
 */
export function archiving(
  { path = "" }: ArchiveOptions,
  pack: (batch: Batch, first: Message, pathOf: (index: number) => string) => Message,
): Processor {
  // Programs that unpack the archive may write files with these names.
  const checkPath = checkText("path", filePath);

  function archive(batch: Batch, first: Message): Batch {
    try {
      const pathOf = (index: number) => {
        const name = textOf(path, batch, index);
        return name === "" ? name : checkPath(name);
      };
      return [flaggedAs(pack(batch, first, pathOf), batch)];
    } catch (error) {
      const failure = toGatewayError(error, 500, "failed to create the archive");
      return batch.map((message) => message.withFailure(failure));
    }
  }

  return {
    process(batch) {
      const [first] = batch;
      return first === undefined ? [] : [archive(batch, first)];
    },
  };
}

/** If a message in the archive has failed, the archive is marked as failed too: otherwise the failure would be lost. */
function flaggedAs(archive: Message, batch: Batch): Message {
  const flagged = batch.find(({ failure }) => failure !== undefined);
  return flagged === undefined ? archive : archive.withFailure(flagged.failure, flagged.failureSource);
}
