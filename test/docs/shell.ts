// Runs the blocks of commands of a page, in a project of its own. Commands of Sluice run as they are, but for those that serve
// until they are stopped or need a service that is not here: of these the arguments are parsed. Other programs are stand-ins that
// only end well: what they do is their makers'.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createLogger } from "../../runtime/process/log.ts";
import { parseStoreAddress } from "../../runtime/store/address.ts";
import { openStore } from "../../runtime/store/store.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type Outcome, run } from "../harness/processes.ts";

/** Commands that serve, or ask a service. */
const serving = ["run", "gateway", "serve", "play", "top", "tail", "plan", "apply", "export", "lsp"];

/** Programs of others. */
const others = [
  ...[
    "cc",
    "curl",
    "docker",
    "helm",
    "install",
    "kubectl",
    "npm",
    "pg_dump",
    "pg_restore",
    "podman",
    "skopeo",
    "systemctl",
  ],
];

const configuration = `input:
  kafka: { addresses: ["localhost:9092"], topics: [orders], consumer_group: shop }
output:
  drop: {}
`;

const programs = temporaryDirectory("programs");
const checker = join(import.meta.dirname, "parse-arguments.ts");
const program = join(projectRoot, "bin/sluice.js");
const node = JSON.stringify(process.execPath);
write(
  "sluice",
  `case " ${serving.join(" ")} test-connections " in *" $1 "*) exec ${node} ${checker} "$@" ;; esac
exec ${node} ${program} "$@"`,
);
write("npx", `"$@"`);
write("node", `case "$1" in bin/sluice.js) shift; exec sluice "$@" ;; esac\nexec ${node} "$@"`);
for (const name of others) write(name, "exit 0");

function write(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
}

const project = temporaryDirectory("project");
const made = await run(process.execPath, [program, "init", project]);
if (made.status !== 0) throw new Error(`sluice init: ${made.stderr}`);

/**
 * A folder in which the blocks of a page run one after the other: a project with what pages speak of besides, or the example
 * that the page is about.
 */
export async function newSandbox(page: string): Promise<string> {
  const folder = temporaryDirectory("blocks");
  const example = /^examples\/(?!project)[^/]+(?=\/)/.exec(page)?.[0];
  cpSync(example === undefined ? project : join(projectRoot, example), folder, { recursive: true });
  for (const name of ["apis", "backup", "opt/sluice", "editor"])
    mkdirSync(join(folder, name), { recursive: true });
  cpSync(join(projectRoot, "editor/tree-sitter-blobl"), join(folder, "editor/tree-sitter-blobl"), {
    recursive: true,
  });
  writeFileSync(join(folder, "config.yaml"), configuration);
  const address = parseStoreAddress(`sqlite:${join(folder, "gateway.db")}`);
  const store = await openStore(address, createLogger("silent"));
  await store.close();
  return folder;
}

/** Runs a script; it ends with the first command that fails. Absolute paths are those of the sandbox. */
export function runScript(script: string, folder: string): Promise<Outcome> {
  const within = script.replaceAll(/(?<=[\s=])\/(backup|opt)\//g, `${folder}/$1/`);
  const environment = {
    PATH: `${programs}${delimiter}${process.env.PATH}`,
    HOME: folder,
    XDG_DATA_HOME: undefined,
    GW_STORE_URL: "sqlite:gateway.db",
  };
  return run("bash", ["--norc", "-euo", "pipefail", "-c", within], { cwd: folder, env: environment });
}
