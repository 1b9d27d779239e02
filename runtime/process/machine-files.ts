// Reads files of the machine that documents name. Files of procfs are refused: `/proc/self/environ` contains the
// variables that no document may read, and a process can write to its own memory through `/proc/self/mem`.

// `promises` is loaded when it is first used: loading it takes 2 ms of the start.
import { promises, readFileSync, statfsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The type of the procfs file system, wherever it is mounted (`PROC_SUPER_MAGIC` of Linux). */
const procfs = 0x9fa0;

/**
 * Returns `path`. Throws an error with the code `EACCES` if the path is in procfs. If the file does not exist, checks
 * the nearest folder above it that does. If the file system cannot be determined, opening the file reports the
 * reason.
 */
export function machineFile(path: string): string {
  if (fileSystemOf(path) === procfs)
    throw Object.assign(new Error("it tells of processes"), { code: "EACCES" });
  return path;
}

function fileSystemOf(path: string): number | undefined {
  try {
    return statfsSync(path).type;
  } catch (error) {
    const above = dirname(path);
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return isMissing && above !== path ? fileSystemOf(above) : undefined; // opening the file reports the reason
  }
}

/**
 * Creates a folder and the missing folders above it. Node's recursive `mkdir` never returns in procfs, nor for a
 * relative path in a working directory that was removed.
 */
export async function makeMachineFolder(path: string): Promise<void> {
  await promises.mkdir(resolve(machineFile(path)), { recursive: true });
}

/** The beginning of the names of drafts. Patterns such as `*` do not match names with a dot in front. */
const draftPrefix = ".draft-";

/** Milliseconds without a change after which a draft is one that a killed process left: writes take far less. */
const abandonedAfter = 3_600_000;

/** Folders whose abandoned drafts this process has removed, and their maximum number. */
const tidied = new Set<string>();
const mostTidied = 1_000;

/**
 * Writes bytes to a draft in a folder, which `publish` moves to its final place: readers find either the old content or
 * the new one, also after a crash. Each draft has a name of its own, since other streams and processes may write to
 * the same file. The first write to a folder removes drafts that killed processes left there.
 */
export async function writeThroughDraft(
  folder: string,
  content: Uint8Array | string,
  publish: (draft: string) => Promise<void>,
): Promise<void> {
  if (!tidied.has(folder) && tidied.size < mostTidied) {
    tidied.add(folder);
    await removeAbandoned(folder).catch(() => undefined); // the write itself reports what is wrong with the folder
  }
  const draft = join(folder, draftPrefix + crypto.randomUUID());
  try {
    const handle = await promises.open(draft, "wx");
    try {
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await publish(draft);
  } finally {
    await promises.rm(draft, { force: true });
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for await (const { name } of await promises.opendir(folder)) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = join(folder, name);
    const { mtimeMs } = await promises.stat(draft);
    if (mtimeMs < Date.now() - abandonedAfter) await promises.rm(draft, { force: true });
  }
}

/** Returns the bytes of a file that a document names. */
export function readMachineFile(path: string): Buffer {
  return readFileSync(machineFile(path));
}

/** Returns the text of a file that a document names, such as a mounted secret. */
export function readMachineText(path: string): string {
  return readMachineFile(path).toString("utf8");
}

/** Returns why a file cannot be opened, read or written, in the system's words, such as `no space left on device`. */
export function fileFault(error: unknown): string {
  if (!(error instanceof Error && "code" in error)) return "unknown error";
  // `ENOSPC: no space left on device, write`
  const code = String(error.code);
  if (!error.message.startsWith(`${code}: `)) return code;
  const words = error.message.slice(code.length + 2);
  const end = words.indexOf(",");
  return end === -1 ? words : words.slice(0, end);
}

/**
 * Returns an identifier of the start of a process, which distinguishes it from other processes with the same pid,
 * also after a restart of the machine; "" if the system does not provide it.
 */
export function birthOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const ticks = text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
    return `${ticks}@${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}`;
  } catch {
    // Only Linux has these files.
    return "";
  }
}
