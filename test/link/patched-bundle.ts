import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type Outcome, run } from "../harness/processes.ts";

/** Bundles a program like a gateway, with plugins that patch packages. */
export function bundlePatched(plugins: Plugin[], contents: string) {
  return build({
    stdin: { contents, resolveDir: projectRoot },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    banner: {
      js: 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);',
    },
    logLevel: "silent",
    metafile: true,
    plugins,
  });
}

/** Runs the program in a process of its own. */
export async function runPatched(
  plugins: Plugin[],
  contents: string,
  args: readonly string[] = [],
): Promise<Outcome> {
  const file = join(temporaryDirectory("patched"), "program.mjs");
  writeFileSync(file, (await bundlePatched(plugins, contents)).outputFiles[0]?.text ?? "");
  return run(process.execPath, [file, ...args]);
}
