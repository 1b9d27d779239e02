import { warmSluice } from "../harness/sluice.ts";
import { folderWith } from "./documents.ts";

/** Returns results of `--format json`, as lines with a name and its failures. */
export async function results(
  files: Readonly<Record<string, string>>,
  ...paths: string[]
): Promise<readonly string[]> {
  const { stdout } = await warmSluice(["test", "--format", "json", ...paths], { cwd: folderWith(files) });
  const parsed: readonly { readonly name: string; readonly failures: readonly string[] }[] =
    JSON.parse(stdout);
  return parsed.map(({ name, failures }) => [name, ...failures].join(" | "));
}
