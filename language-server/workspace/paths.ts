// The addresses of editors and the paths of the compiler, each into the other.

import { posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The absolute path, with `/`, of a document; one that is not in a file has its address below a folder of no file. */
export function pathOfUri(uri: string): string {
  return pathOfFile(uri) ?? `/unsaved/${encodeURIComponent(uri)}`;
}

/** `undefined` for a document that is in no file of this machine. */
function pathOfFile(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    return absolutePath(fileURLToPath(uri));
  } catch {
    return undefined; // it throws for files of another host or system
  }
}

/** The address of a file by its absolute path. */
export function uriOfPath(path: string): string {
  return pathToFileURL(path).href;
}

/** The absolute path of what the compiler names relative to the working directory. */
export function absolutePath(path: string): string {
  const normal = path.replaceAll("\\", "/");
  return posix.isAbsolute(normal) || /^[A-Za-z]:\//.test(normal)
    ? posix.normalize(normal)
    : posix.resolve(process.cwd().replaceAll("\\", "/"), normal);
}
