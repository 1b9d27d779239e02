// Builds gateways as they are shipped: from a document by the command, run by Node alone.

import { join } from "node:path";
import { temporaryDirectory } from "../test/harness/directories.ts";
import { sluice } from "../test/harness/sluice.ts";

/** Builds `document` and returns the path of its bundle. `env` sets the variables that the document reads. */
export async function buildGateway(
  document: string,
  {
    env = {},
    minify = true,
  }: { readonly env?: Readonly<Record<string, string>>; readonly minify?: boolean } = {},
): Promise<string> {
  const directory = temporaryDirectory();
  const built = await sluice(["build", document, "-o", directory, ...(minify ? ["--minify"] : [])], { env });
  if (built.status !== 0) throw new Error(`${document} does not build:\n${built.stdout}${built.stderr}`);
  return join(directory, "gateway.mjs");
}

/** Environment for free ports: one for requests, one for operators. */
export const freeListeners = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

/** Matches the line that a gateway logs when it listens; the first group is its address. */
export const gatewayListens = /"gateway":"(https?:[^"]+)"/;

/** Matches the line that a program by hand prints when it listens; the first group is its address. */
export const byHandListens = /listening on (\S+)/;
