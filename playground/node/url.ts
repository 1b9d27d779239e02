// The part of `node:url` that the project uses.

/** Returns the path of a file URL. Throws if the URL is not one. */
export function fileURLToPath(address: string | URL): string {
  const { protocol, pathname, host } = new URL(address);
  if (protocol !== "file:" || host !== "") throw new TypeError("The address is of no file of this machine");
  return decodeURIComponent(pathname);
}

/** Returns the URL of a file. */
export function pathToFileURL(path: string): URL {
  const encoded = path
    .replaceAll("%", "%25")
    .replaceAll("\\", "%5C")
    .replaceAll("?", "%3F")
    .replaceAll("#", "%23");
  return new URL(`file://${encoded}`);
}

export const URL = globalThis.URL;
