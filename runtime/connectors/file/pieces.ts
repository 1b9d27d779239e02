// A file, cut into messages.

import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { readLines } from "../../message/lines.ts";
import type { FileInputOptions } from "./generated/input-options.ts";

/** Its lines, or all of it where the scanner goes to the end. */
export async function* readPieces(
  path: string,
  { lines = {}, to_the_end }: NonNullable<FileInputOptions["scanner"]> = {},
): AsyncGenerator<Uint8Array> {
  if (to_the_end === undefined) yield* readLines(createReadStream(path), lines);
  else yield readFile(path);
}
