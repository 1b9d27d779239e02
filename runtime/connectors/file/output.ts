import type { Stats } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Output } from "../../component/component.ts";
import { textOf } from "../../component/text.ts";
import { GatewayError } from "../../errors.ts";
import { filePath } from "../../generated/formats.ts";
import { unfit, unfitText } from "../../grammar/computed-text.ts";
import { prepareAll } from "../../grammar/unfit-messages.ts";
import { endOfMessage } from "../../message/lines.ts";
import type { Batch } from "../../message/message.ts";
import { fileFault, machineFile, makeMachineFolder, writeThroughDraft } from "../../process/machine-files.ts";
import { type FileOutputOptions, fileOutputDefaults } from "./generated/output-options.ts";

/**
 * Writes messages to the file that `path` names for each. A write is confirmed when the data is on disk. Writes are
 * made one after the other, in order. A failed batch may have been written in part; the next message then starts
 * after a delimiter.
 */
export function fileOutput(options: FileOutputOptions): Output {
  const { path, codec } = { ...fileOutputDefaults, ...options };
  let last: Promise<unknown> = Promise.resolve();
  /** The file that is known to end with a complete message. */
  let whole: string | undefined;

  async function writeAll(batch: Batch): Promise<void> {
    const written = prepareAll(batch, (message, index) => ({
      file: checkPath(textOf(path, batch, index)),
      content: message.bytes(),
    }));
    for (const [file, messages] of Map.groupBy(written, (message) => machineFile(message.file))) {
      const pieces = messages.map(({ content }) => content);
      await makeMachineFolder(dirname(file));
      // Each message would replace the previous one, so only the last one is written.
      if (codec === "all-bytes") {
        const content = pieces.at(-1) ?? new Uint8Array();
        await writeThroughDraft(dirname(file), content, (draft) => rename(draft, file));
      } else {
        const isWhole = file === whole;
        whole = undefined;
        await append(file, pieces, { ending: Buffer.from(endOfMessage(codec)), isWhole });
        whole = file;
      }
    }
  }

  return {
    async start() {},
    async write(batch) {
      const written = last
        .then(() => writeAll(batch))
        .catch((error: unknown) => refuse(error, typeof path !== "string"));
      last = written.catch(() => undefined); // the failure is reported to the writer; the next write has its own turn
      await written;
      return {};
    },
    async close() {
      await last;
    },
  };
}

/** Longest file name in bytes in common file systems. */
const longestName = 255;

/** Returns the path. Throws if it leaves the allowed folder, or if a name in it is too long or invalid. */
function checkPath(path: string): string {
  const isTooLong = path.split("/").some((name) => Buffer.byteLength(name) > longestName);
  if (path === "" || isTooLong || !filePath.accepts(path)) throw unfitText("path", filePath.expected);
  return path;
}

interface Appending {
  readonly ending: Buffer;
  /** Whether the file is known to end with a complete message. */
  readonly isWhole: boolean;
}

async function append(
  file: string,
  pieces: readonly Uint8Array[],
  { ending, isWhole }: Appending,
): Promise<void> {
  const handle = await open(file, "a");
  try {
    const isTorn = !isWhole && ending.length > 0 && (await isTornAt(file, await handle.stat(), ending));
    const written = pieces.flatMap((piece) => [piece, ending]);
    await handle.writeFile(Buffer.concat(isTorn ? [ending, ...written] : written));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/**
 * Returns whether the last message of a file is incomplete: after a full disk or a crash, only part of it is written.
 */
async function isTornAt(file: string, stats: Stats, ending: Buffer): Promise<boolean> {
  if (!stats.isFile() || stats.size === 0) return false;
  const handle = await open(file, "r");
  try {
    const tail = Buffer.alloc(Math.min(stats.size, ending.length));
    await handle.read(tail, 0, tail.length, stats.size - tail.length);
    return !tail.equals(ending);
  } finally {
    await handle.close();
  }
}

/** System errors that concern the path itself, so that a retry cannot succeed. */
const pathFaults = ["EISDIR", "ENOTDIR", "EEXIST", "ENAMETOOLONG", "EINVAL"];

function refuse(error: unknown, isComputed: boolean): never {
  if (error instanceof GatewayError) throw error;
  const reason = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const message = `The file cannot be written (${fileFault(error)})`;
  if (isComputed && reason !== undefined && pathFaults.includes(reason)) throw unfit(message);
  throw new GatewayError(502, message, { cause: error });
}
