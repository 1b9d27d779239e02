// What all formats that archives are written in have in common.

import type { Processor } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { toGatewayError } from "../../errors.ts";
import { filePath } from "../../generated/formats.ts";
import { checkText } from "../../grammar/computed-text.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { ArchiveOptions } from "../generated/archive-options.ts";

/** A message of a batch, as an entry of an archive. */
export interface ArchiveEntry {
  readonly message: Message;
  /** Its name in the archive, computed when a format asks for it. */
  readonly path: string;
}

/**
 * One message of the whole batch, with the metadata of the first. Where the archive cannot be made, all messages
 * go on as they were, flagged.
 */
export function archiving(
  { path = "" }: ArchiveOptions,
  pack: (entries: readonly ArchiveEntry[], first: Message) => Message,
): Processor {
  // What unpacks an archive may write files of these names.
  const checkPath = checkText("path", filePath);

  function archive(batch: Batch, first: Message): Batch {
    try {
      const entries = batch.map((message, index) => ({
        message,
        get path() {
          const name = textOf(path, batch, index);
          return name === "" ? name : checkPath(name);
        },
      }));
      return [flaggedAs(pack(entries, first), batch)];
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

/** What holds a message that something failed on is flagged itself: else the failure would be forgotten. */
function flaggedAs(archive: Message, batch: Batch): Message {
  const flagged = batch.find(({ failure }) => failure !== undefined);
  return flagged === undefined ? archive : archive.withFailure(flagged.failure, flagged.failureSource);
}
