import { join } from "node:path";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type Program, start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";

/** A gateway that was built and runs by itself, as it would in a container. */
export interface BuiltGateway {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly adminUrl: string;
  readonly program: Program;
}

/**
 * Builds documents with `sluice build` and runs the bundle, with nothing of the project around it, until it is ready. A
 * gateway that is never to be ready is started with `startBundle`.
 */
export async function buildAndStart(
  documents: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<BuiltGateway> {
  const gateway = await startBundle(await buildBundle(documents), env);
  await whenReady(gateway);
  return gateway;
}

/** The folder of a bundle that `sluice build` makes of documents. */
export async function buildBundle(documents: readonly string[]): Promise<string> {
  const folder = temporaryDirectory("gateway");
  const built = await warmSluice(["build", ...documents, "-o", folder], { cwd: projectRoot });
  if (built.status !== 0) throw new Error(`sluice build failed:\n${built.stdout}${built.stderr}`);
  return folder;
}

/** Resolves once all streams run: until then their endpoints answer 503. Fails with what the gateway has written. */
export async function whenReady(gateway: BuiltGateway): Promise<void> {
  await until(() => isReady(gateway), { what: "the gateway to be ready" }).catch((cause) => {
    throw new Error(gateway.program.output(), { cause });
  });
}

/** Whether load balancers would send requests to the gateway now. */
export async function isReady({ adminUrl }: BuiltGateway): Promise<boolean> {
  return (await fetch(`${adminUrl}/readyz`)).status === 200;
}

/** Runs a built bundle on free ports, and resolves when it listens: its streams may not run yet. */
export async function startBundle(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BuiltGateway> {
  const program = start(process.execPath, [join(folder, "gateway.mjs")], {
    cwd: folder,
    env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0", ...env },
  });
  return { program, ...(await addressesOf(program)) };
}

/** The addresses that a gateway's `listening` line names. */
export async function addressesOf(program: Program): Promise<{ url: string; adminUrl: string }> {
  const [line] = await program.matching(/^\{.*"msg":"listening".*\}$/m);
  const { gateway, admin } = JSON.parse(line) as { gateway: string; admin: string };
  return { url: gateway, adminUrl: admin };
}
