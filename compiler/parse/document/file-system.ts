// The interface through which the compiler accesses all files, so that it can also run in memory.

import { open, readdir } from "node:fs/promises";

/** The source of documents. Paths are relative to the working directory or absolute, with `/`. */
export interface FileSystem {
  /**
   * Returns the bytes of a file. Rejects with an error whose `code` is `ENOENT`, `EISDIR` or `EACCES`, like Node's.
   * May stop after `limit` + 1 bytes, so that a large file cannot fill the memory.
   */
  readFile(path: string, limit: number): Promise<Uint8Array>;
  /** Returns the text of a file that needs no decoding because an editor has it open. */
  textOf?(path: string): string | undefined;
  /** Returns the entries of a folder in any order; rejects like `readFile`. */
  list(folder: string): Promise<readonly FolderEntry[]>;
}

/** A file or folder inside a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
}

/** The file system of this machine. */
export const nodeFileSystem: FileSystem = {
  async readFile(path, limit) {
    await using handle = await open(path, "r");
    const chunks: Uint8Array[] = [];
    let left = limit + 1;
    for await (const chunk of handle.createReadStream({ end: limit, autoClose: false })) {
      chunks.push(chunk);
      left -= chunk.length;
      if (left <= 0) break;
    }
    return Buffer.concat(chunks);
  },
  async list(folder) {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: entry.isDirectory() ? "folder" : "file" }));
  },
};

/** Returns a file system with files in memory, for tests and for documents that are not on a disk. */
export function createMemoryFileSystem(files: Readonly<Record<string, string | Uint8Array>>): FileSystem {
  const paths = Object.keys(files);
  return {
    async readFile(path) {
      const content = Object.hasOwn(files, path) ? files[path] : undefined;
      if (content === undefined) throw createFileError(path, paths);
      return typeof content === "string" ? new TextEncoder().encode(content) : content;
    },
    async list(folder) {
      const prefix = folder === "." || folder === "" ? "" : `${folder}/`;
      const entries = new Map<string, FolderEntry>();
      for (const path of paths) {
        if (!path.startsWith(prefix)) continue;
        const [name = "", ...below] = path.slice(prefix.length).split("/");
        entries.set(name, { name, kind: below.length === 0 ? "file" : "folder" });
      }
      if (entries.size === 0) throw createFileError(folder, paths);
      return [...entries.values()];
    },
  };
}

function createFileError(path: string, paths: readonly string[]): Error {
  const code = paths.some((other) => other.startsWith(`${path}/`)) ? "EISDIR" : "ENOENT";
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
