import { createHash, randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Cache } from "../component/resource.ts";
import { GatewayError } from "../errors.ts";
import { machineFile, makeMachineFolder } from "../process/machine-files.ts";
import type { FileCacheOptions } from "./generated/file-cache-options.ts";

/** Bytes of a name that common file systems take, with room for that of a draft. */
const longestName = 180;

/**
 * Values in files of one folder, each named after its key. A value is there as a whole or not at all, also after a crash;
 * it has no end.
 */
export function fileCache({ directory }: FileCacheOptions): Cache {
  /** Writes a draft, which `publish` puts in its place. */
  async function write(value: Uint8Array, publish: (draft: string) => Promise<void>): Promise<void> {
    const draft = join(directory, `.draft-${randomUUID()}`);
    try {
      const handle = await open(draft, "wx");
      try {
        await handle.writeFile(value);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await publish(draft);
    } finally {
      await rm(draft, { force: true });
    }
  }

  const fileOf = (key: string) => join(directory, nameOf(key));
  return {
    async start() {
      await makeMachineFolder(directory).catch(fail);
    },
    async get(key) {
      try {
        return await readFile(machineFile(fileOf(key)));
      } catch (error) {
        return codeOf(error) === "ENOENT" ? undefined : fail(error);
      }
    },
    async set(key, value) {
      await write(value, (draft) => rename(draft, fileOf(key))).catch(fail);
    },
    async add(key, value) {
      try {
        await write(value, (draft) => link(draft, fileOf(key)));
        return true;
      } catch (error) {
        return codeOf(error) === "EEXIST" ? false : fail(error);
      }
    },
    async delete(key) {
      await rm(fileOf(key), { force: true }).catch(fail);
    },
  };
}

/**
 * The file of a key. Plain keys are their own names; other characters are encoded, so that no key leaves the folder or
 * means the file of another key, and long keys are hashed.
 */
function nameOf(key: string): string {
  const name = encodeURIComponent(key.toWellFormed()).replace(/[*'()!~]|^\./g, encodeCharacter);
  const isPlain = key.isWellFormed() && name !== "" && name.length <= longestName;
  return isPlain ? name : `%-${createHash("sha256").update(key, "utf16le").digest("hex")}`;
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function fail(error: unknown): never {
  const code = codeOf(error);
  throw new GatewayError(
    502,
    `The folder of the cache cannot be used${code === undefined ? "" : ` (${String(code)})`}`,
    {
      cause: error,
    },
  );
}
