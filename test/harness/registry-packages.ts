// Installs registry packages that only some tests need, each list of packages in its own folder of the user's cache.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const runProgram = promisify(execFile);

/** Packages with their versions, and the name of their folder. */
export interface RegistryPackages {
  /** The name of the folder: use a different name for each list of packages. */
  readonly name: string;
  readonly packages: readonly string[];
}

/**
 * Installs packages from PyPI (`schemathesis==4.32.5`) for this user once, and returns the folder for `PYTHONPATH`.
 * Rejects if Python 3 with pip or the registry is not available.
 */
export function installFromPypi({ name, packages }: RegistryPackages): Promise<string> {
  return installOnce(
    name,
    (folder) => runProgram("python3", ["-m", "pip", "install", "--quiet", "--target", folder, ...packages]),
    `${name} needs python3 with pip, and a package registry`,
  );
}

/**
 * Installs packages from npm (`@asyncapi/generator@3.4.1`) without running their scripts; returns their `node_modules`.
 */
export async function installFromNpm({ name, packages }: RegistryPackages): Promise<string> {
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const folder = await installOnce(
    name,
    (prefix) => runProgram("npm", ["install", "--prefix", prefix, ...flags, ...packages]),
    `${name} needs npm and its registry`,
  );
  return join(folder, "node_modules");
}

async function installOnce(
  name: string,
  install: (folder: string) => Promise<unknown>,
  needs: string,
): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sluice");
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}-${process.pid}`;
  await mkdir(fresh, { recursive: true });
  try {
    await install(fresh);
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (existsSync(folder)) return folder; // another process was first
    throw new Error(needs, { cause: error });
  }
  return folder;
}
