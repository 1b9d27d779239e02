// Files of the machine that documents name. What the system tells of processes (procfs) is none of them: in
// `/proc/self/environ` are the variables that no document may read, and by `/proc/self/mem` a process writes itself.

import { readFileSync, statfsSync } from "node:fs";

/** The type of the file system that tells of processes, wherever it is mounted (`PROC_SUPER_MAGIC` of Linux). */
const procfs = 0x9fa0;

/**
 * `path`, unless it leads to what the system tells of processes: then it throws as for a file without permission. Where there is
 * no file, or no file system can be told, opening it says so.
 */
export function machineFile(path: string): string {
  if (fileSystemOf(path) === procfs)
    throw Object.assign(new Error("it tells of processes"), { code: "EACCES" });
  return path;
}

function fileSystemOf(path: string): number | undefined {
  try {
    return statfsSync(path).type;
  } catch {
    return undefined; // what opens it says why
  }
}

/** The bytes of a file that a document names. */
export function readMachineFile(path: string): Buffer {
  return readFileSync(machineFile(path));
}

/** The text of a file that a document names, such as a mounted secret. */
export function readMachineText(path: string): string {
  return readMachineFile(path).toString("utf8");
}
