import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { type Output, textOf } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch } from "../../message.ts";
import { type FileOutputOptions, fileOutputDefaults } from "./generated/output-options.ts";

/**
 * Writes messages to the file that `path` names for each. A write is confirmed when the disk has it; writes go one after
 * the other, in the order they came. A batch that failed may have been written in part.
 */
export function fileOutput(options: FileOutputOptions): Output {
  const { path, codec } = { ...fileOutputDefaults, ...options };
  let last: Promise<unknown> = Promise.resolve();

  async function writeAll(batch: Batch): Promise<void> {
    const contents = Map.groupBy(batch.keys(), (index) => pathOf(textOf(path, batch, index)));
    for (const [file, indices] of contents) {
      const pieces = indices.map((index) => batch[index]?.bytes() ?? new Uint8Array());
      await mkdir(dirname(file), { recursive: true });
      // One after the other is what each would be replaced by: the last one stays.
      if (codec === "all-bytes") await replace(file, pieces.at(-1) ?? new Uint8Array());
      else await append(file, pieces, endOf(codec));
    }
  }

  return {
    async start() {},
    async write(batch) {
      const written = last.then(() => writeAll(batch)).catch(refuse);
      last = written.catch(() => undefined); // whoever wrote is told; the next has its own turn
      await written;
      return {};
    },
    async close() {
      await last;
    },
  };
}

/** What stands behind each message. */
function endOf(codec: string): string {
  if (codec === "lines") return "\n";
  return codec === "append" ? "" : codec.slice("delim:".length);
}

/** A message must not choose a file outside of where its document lets it. */
function pathOf(path: string): string {
  if (path === "" || path.includes("\0") || path.split(/[\\/]/).includes("..")) {
    throw new GatewayError(422, "The path of a file is empty or climbs up", { retryable: false });
  }
  return path;
}

async function append(file: string, pieces: readonly Uint8Array[], end: string): Promise<void> {
  const ending = Buffer.from(end);
  const handle = await open(file, "a");
  try {
    await handle.writeFile(Buffer.concat(pieces.flatMap((piece) => [piece, ending])));
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** Whoever reads the file finds the old content or the new one, never half of it. */
async function replace(file: string, content: Uint8Array): Promise<void> {
  const draft = `${file}.part`;
  const handle = await open(draft, "w");
  try {
    await handle.writeFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

function refuse(error: unknown): never {
  if (error instanceof GatewayError) throw error;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  throw new GatewayError(502, `The file cannot be written${code}`, { cause: error });
}
