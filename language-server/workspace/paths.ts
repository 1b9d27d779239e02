// Converts URIs of editors to paths of the compiler, and back.

import { posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Returns the absolute path, with `/`, of a document; for an unsaved document, a path that contains its URI. */
export function pathOfUri(uri: string): string {
  return pathOfFile(uri) ?? `/unsaved/${encodeURIComponent(uri)}`;
}

/** Returns the path of a file; `undefined` for a document that is no file of this machine. */
function pathOfFile(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return undefined;
  try {
    return absolutePath(fileURLToPath(uri));
  } catch {
    return undefined; // the function throws for a file of another host or system
  }
}

/** Returns the URI of a file by its absolute path. */
export function uriOfPath(path: string): string {
  return pathToFileURL(path).href;
}

/** Returns the absolute path for a path of the compiler, which is relative to the working directory. */
export function absolutePath(path: string): string {
  const normal = path.replaceAll("\\", "/");
  return posix.isAbsolute(normal) || /^[A-Za-z]:\//.test(normal)
    ? posix.normalize(normal)
    : posix.resolve(process.cwd().replaceAll("\\", "/"), normal);
}
