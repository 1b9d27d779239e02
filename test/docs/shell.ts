// Runs the blocks of commands of a page in a project of its own. Commands of Sluice run unchanged: serving commands run until
// they listen, and clients of a management service talk to the one of the suite. Other programs run if they can work in the
// sandbox; stand-ins replace the rest, each with the reason, and record their arguments.

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createLogger } from "../../runtime/process/log.ts";
import { parseStoreAddress } from "../../runtime/store/address.ts";
import { openStore } from "../../runtime/store/store.ts";
import { postgres } from "../harness/brokers.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type Outcome, run } from "../harness/processes.ts";
import { startSluice } from "../harness/sluice.ts";
import { standIns } from "./exceptions.ts";

const configuration = `input:
  kafka: { addresses: ["localhost:9092"], topics: [orders], consumer_group: shop }
output:
  drop: {}
`;

const programs = temporaryDirectory("programs");
const asked = join(programs, "asked.txt");
const program = join(projectRoot, "bin/sluice.js");
const node = JSON.stringify(process.execPath);
const briefly = join(import.meta.dirname, "serve-briefly.ts");
write(
  "sluice",
  `case "$1" in
  run|gateway|serve) exec ${node} ${briefly} ${program} "$@" ;;
  plan) ${node} ${program} "$@" || [ $? = 2 ]; exit ;; # 2: there are changes
esac
exec ${node} ${program} "$@"`,
);
write("npx", `"$@"`);
write("node", `case "$1" in bin/sluice.js) shift; exec sluice "$@" ;; esac\nexec ${node} "$@"`);
for (const name of Object.keys(standIns)) write(name, `echo "${name} $*" >> ${asked}`);

function write(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
}

/** Returns the calls of the stand-ins, one line each. */
export function askedOfStandIns(): readonly string[] {
  return existsSync(asked) ? readFileSync(asked, "utf8").trimEnd().split("\n") : [];
}

const key = "the-key-of-the-service";
const service = startSluice(["serve"], {
  cwd: temporaryDirectory("management"),
  env: {
    GW_MANAGEMENT_API_KEYS: key,
    GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
    GW_MANAGEMENT_STREAMING_ENABLED: "true",
  },
});
const [, serviceAddress = ""] = await service.matching(/"management":"(http[^"]+)"/);
const database = await postgres();

/** Stops the services that the blocks used. */
export async function closeServices(): Promise<void> {
  await service.stop();
  await database.stop();
}

const project = temporaryDirectory("project");
const made = await run(process.execPath, [program, "init", project]);
if (made.status !== 0) throw new Error(`sluice init: ${made.stderr}`);

/**
 * Creates a folder in which the blocks of a page run one after the other: a project with the files that pages mention, or
 * the example that the page is about.
 */
export async function newSandbox(page: string): Promise<string> {
  const folder = temporaryDirectory("blocks");
  const example = /^examples\/(?!project)[^/]+(?=\/)/.exec(page)?.[0];
  cpSync(example === undefined ? project : join(projectRoot, example), folder, { recursive: true });
  for (const name of ["apis", "backup", "etc/sluice", "etc/systemd/system", "opt/sluice", "editor"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["sluice.service", "sluice.socket"])
    cpSync(join(projectRoot, "deploy/systemd", name), join(folder, name));
  writeFileSync(join(folder, "environment"), "KAFKA=kafka:9092\n");
  if (example === undefined) cpSync(join(folder, "orders.yaml"), join(folder, "apis/orders.yaml"));
  if (page === "examples/README.md")
    cpSync(join(projectRoot, "examples/chat"), join(folder, "examples/chat"), { recursive: true });
  cpSync(join(projectRoot, "editor/tree-sitter-blobl"), join(folder, "editor/tree-sitter-blobl"), {
    recursive: true,
  });
  writeFileSync(join(folder, "config.yaml"), configuration);
  const address = parseStoreAddress(`sqlite:${join(folder, "gateway.db")}`);
  const store = await openStore(address, createLogger("silent"));
  await store.close();
  return folder;
}

/** Runs a script until its first failing command. Absolute paths lead into the sandbox, services to those of the suite. */
export async function runScript(script: string, folder: string): Promise<Outcome> {
  const within = script
    .replaceAll(/(?<=[\s=])\/(backup|etc|opt)\//g, `${folder}/$1/`)
    .replaceAll("https://manage.example.com", serviceAddress)
    .replaceAll("GW_MANAGEMENT_TOKEN=…", `GW_MANAGEMENT_TOKEN=${key}`);
  const environment = {
    PATH: `${programs}${delimiter}${process.env.PATH}`,
    HOME: folder,
    XDG_DATA_HOME: undefined,
    GW_STORE_URL: /\bpg_(?:dump|restore)\b/.test(script) ? database.address : "sqlite:gateway.db",
  };
  return run("bash", ["--norc", "-euo", "pipefail", "-c", within], { cwd: folder, env: environment });
}
