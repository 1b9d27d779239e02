// `sluice component reference`: what the packages of a set bring, as Markdown on standard output.

import type { SetOption } from "../command-options.ts";
import { packageReference } from "../reference.ts";
import { dialectOf } from "../set-dialect.ts";

/** Prints the reference. Gives the exit code. */
export async function runComponentReference(options: SetOption): Promise<number> {
  const dialect = await dialectOf(options);
  if (dialect === undefined) return 1;
  const names = dialect.packages.map(({ name }) => `\`${name}\``).join(", ");
  if (names === "") {
    process.stderr.write("sluice: no package brings components; name some in `components` of gateway.yaml\n");
    return 1;
  }
  process.stdout.write(`# Components of ${names}\n\n${packageReference(dialect)}`);
  return 0;
}
