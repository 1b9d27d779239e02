// Files of the machine that documents name. What the system tells of processes (procfs) is none of them: in
// `/proc/self/environ` are the variables that no document may read, and by `/proc/self/mem` a process writes itself.

// By this name the promises of files are loaded when something asks for them: they take 2 ms of a start.
import { promises, readFileSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The type of the file system that tells of processes, wherever it is mounted (`PROC_SUPER_MAGIC` of Linux). */
const procfs = 0x9fa0;

/**
 * `path`, unless it leads to what the system tells of processes: then it throws as for a file without permission. What does not
 * exist leads to where it would be made. Where no file system can be told, opening it says so.
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
    return isMissing && above !== path ? fileSystemOf(above) : undefined; // what opens it says why
  }
}

/**
 * Makes a folder and those above it that are missing. Node's way to do so never ends among what the system tells of processes, nor
 * by a relative path in a working directory that was removed.
 */
export async function makeMachineFolder(path: string): Promise<void> {
  await promises.mkdir(resolve(machineFile(path)), { recursive: true });
}

/** The bytes of a file that a document names. */
export function readMachineFile(path: string): Buffer {
  return readFileSync(machineFile(path));
}

/** The text of a file that a document names, such as a mounted secret. */
export function readMachineText(path: string): string {
  return readMachineFile(path).toString("utf8");
}

/** Why a file cannot be opened, read or written, in the system's words, such as `no space left on device`. */
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
 * When a process began, which tells it from others of its number, also after a restart of the machine; "" where the system does
 * not say.
 */
export function birthOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in brackets, may have blanks and brackets.
    const ticks = text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
    return `${ticks}@${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}`;
  } catch {
    // Only Linux says.
    return "";
  }
}
