// Builds a gateway as one file that needs no Node: a copy of Node that contains the bundle (a single executable
// application).

import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { oldestNode, runsGateways } from "../ship/container-context.ts";
import { OutputError } from "./output-folder.ts";

/** The marker that Node looks for in its own file; Node's documentation specifies the value. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Options for writing an executable. */
export interface ExecutableOptions {
  /** The Node program to copy; the one of this process if absent. It is never run, as it may be for another machine. */
  readonly node?: string;
}

/** Writes `code`, a CommonJS program, together with Node as the executable file `path`. Throws an `OutputError`. */
export async function writeExecutable(
  path: string,
  code: string,
  { node }: ExecutableOptions,
): Promise<void> {
  if (platform() !== "linux") throw new OutputError("executables can be made on Linux alone");
  if (node === undefined && !runsGateways(process.versions.node)) {
    throw new OutputError(
      `gateways need Node ${oldestNode} or newer, and this is ${process.version}: name the program of a newer one with --node`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), "sluice-executable-"));
  try {
    const blob = join(folder, "gateway.blob");
    await writeFile(join(folder, "gateway.cjs"), code);
    const settings = { main: join(folder, "gateway.cjs"), output: blob, disableExperimentalSEAWarning: true };
    // A V8 code cache works only with the program that created it.
    const configuration = { ...settings, useCodeCache: node === undefined };
    await writeFile(join(folder, "sea.json"), JSON.stringify(configuration));
    const made = spawnSync(process.execPath, ["--experimental-sea-config", join(folder, "sea.json")], {
      encoding: "utf8",
    });
    if (made.status !== 0)
      throw new OutputError(`Node ${process.version} on ${arch()} makes no executables: ${made.stderr}`);
    const program = await readFile(node ?? process.execPath);
    if (!program.includes(`${fuse}:0`)) {
      throw new OutputError(
        `${node ?? process.execPath} is not a Node that can embed a program, such as Node 24`,
      );
    }
    const fresh = `${path}.new`;
    await writeFile(fresh, program);
    await inject(fresh, await readFile(blob));
    await chmod(fresh, 0o755);
    await rename(fresh, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts the program into a copy of Node. */
async function inject(file: string, blob: Buffer): Promise<void> {
  const { inject: injectInto } = await import("postject");
  const { warn } = console;
  // postject warns of names that no Node for Linux contains, and has no option to disable that.
  console.warn = (text: unknown) => {
    if (!/^warning: Can't find string offset/.test(String(text))) warn(text);
  };
  try {
    await injectInto(file, "NODE_SEA_BLOB", blob, { sentinelFuse: fuse });
  } finally {
    console.warn = warn;
  }
}
