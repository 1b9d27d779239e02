// Joins the small chunks that a check loads. esbuild puts modules into one chunk only where exactly the same parts of
// the command import them, so that a check would load eighty files, half of them of a few hundred bytes.

import { basename, join } from "node:path";
import { type BuildOptions, type BuildResult, build, type Metafile, type Plugin } from "esbuild";

/** The modules with which the parts of a check begin. */
const partsOfCheck: readonly string[] = [
  "cli/main.ts",
  "compiler/cli/commands/check.ts",
  "compiler/cli/check-with-tests.ts",
];

/** A chunk with fewer bytes, with all that it imports, is loaded by parts that do not need it, too. */
const limit = 8000;

/** What a build returns that has its files in memory, with source maps inside. */
export type FirstBuild = BuildResult<{ metafile: true; write: false }>;

/**
 * Bundles the files of a build with splitting again, with the same entry points, by `options`. Each part that is loaded
 * lazily imports all small chunks of a check, so that these are loaded together and become few.
 */
export async function joinChunks(
  { metafile, outputFiles }: FirstBuild,
  options: BuildOptions & { readonly outdir: string },
): Promise<Metafile> {
  const files = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const chunks = smallChunks(metafile);
  const joined: Plugin = {
    name: "joined-chunks",
    setup(builder) {
      builder.onResolve({ filter: /^\.\// }, ({ path }) => {
        const name = path.slice("./".length);
        // An import without names would be dropped: the sources have no side effects.
        return files.has(name)
          ? { path: join(options.outdir, name), sideEffects: true }
          : { path, external: true };
      });
      builder.onLoad({ filter: /\.js$/ }, ({ path }) => {
        const name = basename(path);
        const added = chunks.lazy.has(name) ? chunks.small.map((each) => `import "./${each}";`) : [];
        return { contents: [...added, files.get(name)].join(""), loader: "js" };
      });
    },
  };
  // The files of the first build are named like the result, but are not written.
  const result = await build({ ...options, allowOverwrite: true, metafile: true, plugins: [joined] });
  return result.metafile;
}

/** Returns the names of the small chunks of a check, and those of all parts that are loaded lazily. */
function smallChunks({ outputs }: Metafile): { small: readonly string[]; lazy: ReadonlySet<string> } {
  const importsOf = (path: string, kind: string) =>
    (outputs[path]?.imports ?? []).filter((each) => each.kind === kind && outputs[each.path] !== undefined);
  const closureOf = (path: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const each of importsOf(path, "import-statement")) closureOf(each.path, seen);
    return seen;
  };
  const paths = Object.keys(outputs);
  const starts = partsOfCheck.map((module) => {
    const start = paths.find((path) => outputs[path]?.entryPoint === module);
    if (start === undefined) throw new Error(`${module} is no part of the command`);
    return start;
  });
  const loaded = new Set(starts.flatMap((start) => [...closureOf(start)]));
  const bytesOf = (path: string) =>
    [...closureOf(path)]
      .flatMap((each) => Object.values(outputs[each]?.inputs ?? {}))
      .reduce((sum, { bytesInOutput }) => sum + bytesInOutput, 0);
  const lazy = paths.flatMap((path) => importsOf(path, "dynamic-import").map((each) => each.path));
  const isSmall = (path: string) => outputs[path]?.entryPoint === undefined && bytesOf(path) < limit;
  return {
    small: [...loaded].filter(isSmall).map((path) => basename(path)),
    lazy: new Set(lazy.map((path) => basename(path))),
  };
}
