// Implements the functions that access the host (files, environment, compiler) for callers that supply a host.

import type { KeptFile } from "../../runtime/mapping/files.ts";
import type { CompileNested } from "../../runtime/mapping/nested.ts";
import type { Value } from "../../runtime/message/value.ts";
import { coreBuiltins } from "../builtins/catalogue.ts";
import type { Replacements } from "../evaluate/evaluate-code.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import type { MappingFiles } from "./files.ts";

/**
 * Functions that use files or the compiler. Gateways restrict them; here they are allowed, since the caller supplies
 * the file system and the compiler.
 */
export const hostReaching: ReadonlySet<string> = new Set(
  coreBuiltins.builtins
    .filter(({ capability }) => capability === "files" || capability === "compiler")
    .map(({ name }) => name),
);

/** The host of a mapping. */
export interface Host {
  /** The files that `file()` and similar functions read; if absent, the functions fail. */
  readonly fileSystem?: MappingFiles;
  /** The variables that `env()` reads; by default, the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Compiles the mappings of `bloblang()`; if absent, the function fails. */
  readonly compile?: CompileNested;
}

/** Returns the functions to link instead of the runtime's own. */
export function hostFunctions({ environment, fileSystem, compile }: Host): Replacements {
  const createNested = () => loadRuntime("runtime/mapping/nested.ts").createNested(compile);
  const given = { ...fileFunctions(fileSystem), createNested };
  if (environment === undefined) return given;
  return {
    ...given,
    env(name: Value, noCache?: Value): Value {
      const key = loadRuntime("runtime/mapping/environment.ts").variableName(name, noCache);
      return Object.hasOwn(environment, key) ? (environment[key] ?? null) : null;
    },
  };
}

function fileFunctions(files: MappingFiles | undefined): Replacements {
  const read = (path: string) => {
    const { MappingError } = loadRuntime("runtime/errors.ts");
    if (files === undefined) throw new MappingError(`open ${path}: there is no file system`);
    try {
      const content = files.readFile(path);
      return typeof content === "string" ? Buffer.from(content) : content;
    } catch {
      // The caller knows why a file cannot be read; the author of a mapping only learns that it does not exist.
      throw new MappingError(`open ${path}: no such file or directory`);
    }
  };
  const runtime = () => loadRuntime("runtime/mapping/files.ts");
  return {
    file: (kept: KeptFile | undefined, path: Value, noCache: Value) =>
      runtime().file(kept, path, noCache, read),
    fileRel: (kept: KeptFile | undefined, folder: string, path: Value, noCache: Value) =>
      runtime().fileRel(kept, folder, path, noCache, read),
    fileRelJson: (kept: KeptFile | undefined, folder: string, path: Value) =>
      runtime().fileRelJson(kept, folder, path, read),
    createDatabase: () => loadRuntime("runtime/mapping/geoip.ts").createDatabase(read),
  };
}
