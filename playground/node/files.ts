// `node:fs` and `node:fs/promises` for the files in memory that the page was started with.

/** The files by absolute path. */
export const files = new Map<string, Uint8Array>();

function bytesAt(path: string | URL): Uint8Array {
  const found = files.get(String(path));
  if (found === undefined)
    throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: "ENOENT" });
  return found;
}

export function existsSync(path: string | URL): boolean {
  return files.has(String(path));
}

/** Returns a file system type that no operating system has. */
export function statfsSync(path: string | URL): { readonly type: number } {
  bytesAt(path);
  return { type: 0 };
}

export function readFileSync(path: string | URL, encoding?: string): Uint8Array | string {
  const bytes = bytesAt(path);
  return encoding === undefined ? bytes : new TextDecoder().decode(bytes);
}

export async function readFile(path: string | URL, encoding?: string): Promise<Uint8Array | string> {
  return readFileSync(path, encoding);
}

/** Opens a file, with the methods that the compiler uses. */
export async function open(path: string) {
  const bytes = bytesAt(path);
  return {
    createReadStream: ({ end = Infinity }: { readonly end?: number } = {}) => [bytes.subarray(0, end + 1)],
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Lists a folder. */
export async function readdir(folder: string) {
  const prefix = folder === "/" ? "/" : `${folder.replace(/\/$/, "")}/`;
  const names = new Map<string, boolean>();
  for (const path of files.keys()) {
    if (!path.startsWith(prefix)) continue;
    const [name = "", ...below] = path.slice(prefix.length).split("/");
    names.set(name, below.length > 0);
  }
  if (names.size === 0)
    throw Object.assign(new Error(`ENOENT: no such file or directory, scandir '${folder}'`), {
      code: "ENOENT",
    });
  return [...names].map(([name, isFolder]) => ({ name, isDirectory: () => isFolder }));
}
