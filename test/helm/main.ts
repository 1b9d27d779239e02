// `npm run test:helm`: whether the chart makes of the values of a build what its manifests are. A program of its own, as
// Helm is built from its sources where the machine has none.

import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { parseAllDocuments } from "yaml";
import { folderWith } from "../cli/documents.ts";
import { projectRoot } from "../harness/directories.ts";
import { findProgram, type Outcome, run } from "../harness/processes.ts";
import { sluice } from "../harness/sluice.ts";
import { gatewaySettings, ordersDocument, pollsDocument } from "../ship/documents.ts";

const version = "v3.19.2";
const chart = join(projectRoot, "deploy/helm");

async function findHelm(): Promise<string> {
  const installed = findProgram("helm");
  if (installed !== undefined) return installed;
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sluice", `helm-${version}`);
  const program = join(folder, "helm");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  console.log(`building Helm ${version}, which takes minutes`);
  const built = await run("go", ["install", `helm.sh/helm/v3/cmd/helm@${version}`], {
    env: { GOBIN: folder },
    timeout: 7_200_000, // two hours: a busy machine compiles slowly
  });
  if (built.status !== 0) throw new Error(`Helm needs Go and its module proxy:\n${built.stderr}`);
  return program;
}

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function objectsIn(text: string): ReadonlyMap<string, KubernetesObject> {
  const objects = parseAllDocuments(text).flatMap((document): KubernetesObject[] => {
    const object = document.toJS() as KubernetesObject | null;
    return object === null ? [] : [object];
  });
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

const helm = await findHelm();
const folder = folderWith({
  "orders.yaml": ordersDocument,
  "gateway.yaml": gatewaySettings,
  "polls.yaml": pollsDocument,
});
let compared = 0;

async function helmIn(...args: string[]): Promise<Outcome> {
  const outcome = await run(helm, args, { cwd: folder });
  assert.is(outcome.status, 0, outcome.stdout + outcome.stderr);
  return outcome;
}

for (const document of ["gateway.yaml", "polls.yaml"]) {
  const { status, stderr } = await sluice(["build", document, "-o", "out", "--kubernetes"], { cwd: folder });
  assert.is(status, 0, stderr);
  const values = ["-f", "out/helm-values.yaml"];
  await helmIn("lint", "--strict", "--kube-version", "1.34.0", chart, ...values);
  const written = join(folder, "out/kubernetes");
  const manifests = objectsIn(
    readdirSync(written)
      .map((name) => readFileSync(join(written, name), "utf8"))
      .join("---\n"),
  );
  for (const isKedaThere of [false, true]) {
    const flags = ["serviceMonitor", "keda"].flatMap((name) => [
      "--set",
      `${name}.enabled=${name !== "keda" || isKedaThere}`,
    ]);
    const { stdout } = await helmIn(
      "template",
      "release",
      chart,
      "--kube-version",
      "1.34.0",
      ...values,
      ...flags,
    );
    const made = objectsIn(stdout);
    const other = isKedaThere ? "HorizontalPodAutoscaler" : "ScaledObject";
    const expected = [...manifests].filter(([name]) => !name.startsWith(`${other} `));
    assert.equal([...made.keys()].sort(), expected.map(([name]) => name).sort(), document);
    for (const [name, object] of expected) {
      assert.equal(made.get(name), object, `${document}: ${name}`);
      compared += 1;
    }
  }
}
console.log(`${compared} objects of the chart are those of the manifests`);
