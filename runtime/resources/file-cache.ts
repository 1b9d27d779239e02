import { createHash } from "node:crypto";
import { link, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Cache } from "../component/resource.ts";
import { GatewayError } from "../errors.ts";
import { machineFile, makeMachineFolder, writeThroughDraft } from "../process/machine-files.ts";
import type { FileCacheOptions } from "./generated/file-cache-options.ts";

/** The longest file name in bytes: common file systems accept it, with room for the name of a draft. */
const longestName = 180;

/**
 * A cache that keeps its values in files of one folder, each named after its key. A value is written completely or
 * not at all, even after a crash; it never expires.
 */
export function fileCache({ directory }: FileCacheOptions): Cache {
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
      await writeThroughDraft(directory, value, (draft) => rename(draft, fileOf(key))).catch(fail);
    },
    async add(key, value) {
      try {
        await writeThroughDraft(directory, value, (draft) => link(draft, fileOf(key)));
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
 * Returns the file name of a key. Plain keys are used unchanged; other characters are encoded, so that no key refers
 * to a file outside the folder or to the file of another key. Long keys are hashed.
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
