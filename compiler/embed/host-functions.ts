// The functions of the language that look outside, for callers who say what is there.

import type { KeptFile } from "../../runtime/mapping/files.ts";
import type { CompileNested } from "../../runtime/mapping/nested.ts";
import type { Value } from "../../runtime/message/value.ts";
import { coreBuiltins } from "../builtins/catalogue.ts";
import type { Replacements } from "../evaluate/evaluate-code.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import type { MappingFiles } from "./files.ts";

/** What gateways may not use: the caller's file system decides what is found, and a compiler is at hand. */
export const hostReaching: ReadonlySet<string> = new Set(
  coreBuiltins.builtins
    .filter(({ capability }) => capability === "files" || capability === "compiler")
    .map(({ name }) => name),
);

/** What a mapping sees of its host. */
export interface Host {
  /** What `file()` and its like read; without it they fail. */
  readonly fileSystem?: MappingFiles;
  /** What `env()` reads; the environment of this process without it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What makes the mappings of `bloblang()`; without it they fail. */
  readonly compile?: CompileNested;
}

/** What to link in place of the runtime's own functions. */
export function hostFunctions({ environment, fileSystem, compile }: Host): Replacements {
  const createNested = () => loadRuntime("runtime/mapping/nested.ts").createNested(compile);
  const given = { ...fileFunctions(fileSystem), createNested };
  if (environment === undefined) return given;
  return {
    ...given,
    env(name: Value): Value {
      const { textArgument } = loadRuntime("runtime/mapping/arguments.ts");
      const key = textArgument("function 'env'", "name", name);
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
      // Why a file cannot be read is the caller's concern; to the author of a mapping it is not there.
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
