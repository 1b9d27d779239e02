import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parseAllDocuments } from "yaml";
import { folderWith } from "../cli/documents.ts";
import { addressesOf } from "../e2e/gateway.ts";
import { kubernetesJudge } from "../harness/kubernetes-schemas.ts";
import { type Program, start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { gatewaySettings, ordersDocument, pollsDocument } from "./documents.ts";

const folder = folderWith({
  "orders.yaml": ordersDocument,
  "gateway.yaml": gatewaySettings,
  "polls.yaml": pollsDocument,
});
const judge = await kubernetesJudge();

// biome-ignore lint/suspicious/noExplicitAny: what is read is judged by the schemas
type Read = any;

async function build(
  document: string,
  output: string,
  ...options: string[]
): Promise<Record<string, string>> {
  const { status, stderr } = await warmSluice(["build", document, "-o", output, "--kubernetes", ...options], {
    cwd: folder,
  });
  assert.is(status, 0, stderr);
  const manifests = join(folder, output, "kubernetes");
  return Object.fromEntries(
    readdirSync(manifests).map((name) => [name, readFileSync(join(manifests, name), "utf8")]),
  );
}

function objectsIn(files: Readonly<Record<string, string>>): Read[] {
  return Object.values(files).flatMap((text) => parseAllDocuments(text).map((each) => each.toJS()));
}

/** Kinds that operators define; the schemas of Kubernetes do not contain them. */
const ofOperators = new Set(["ScaledObject", "ServiceMonitor"]);

test("manifests match the documents, and the schemas of Kubernetes", async () => {
  const files = await build("gateway.yaml", "out", "--image", "registry.example.com/orders:1.2");
  const expected = join(import.meta.dirname, "manifests");
  if (process.env.UPDATE) {
    rmSync(expected, { recursive: true, force: true });
    mkdirSync(expected);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(expected, name), text);
  }
  assert.equal(Object.keys(files).sort(), readdirSync(expected).sort());
  for (const [name, text] of Object.entries(files)) {
    assert.fixture(text, readFileSync(join(expected, name), "utf8"), name);
  }
  for (const object of objectsIn(files)) {
    if (!ofOperators.has(object.kind)) assert.equal(judge(object), [], object.kind);
  }
  assert.not.equal(judge({ ...objectsIn(files)[0], datum: {} }), [], "the judge finds unknown fields");
});

test("a gateway whose input a broker does not divide has one replica", async () => {
  const own = join(folder, "polls/kubernetes");
  mkdirSync(own, { recursive: true });
  for (const name of ["scaling.yaml", "scaled-object.yaml"])
    writeFileSync(join(own, name), "of an earlier build");
  const ingress = "apiVersion: v1\nkind: ConfigMap\n";
  writeFileSync(join(own, "of-the-user.yaml"), ingress);
  const { "of-the-user.yaml": ofTheUser, ...files } = await build("polls.yaml", "polls");
  assert.is(ofTheUser, ingress);
  assert.not(Object.keys(files).some((name) => name.startsWith("scal")));
  for (const object of objectsIn(files)) {
    if (!ofOperators.has(object.kind)) assert.equal(judge(object), [], object.kind);
  }
  const { spec } = objectsIn(files).find(({ kind }) => kind === "Deployment");
  assert.equal([spec.replicas, spec.strategy], [1, { type: "Recreate" }]);
  assert.match(
    files["deployment.yaml"] ?? "",
    "One replica, since replicas would not share the work of polls.poll.",
  );
});

const plain = `openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    taken:
      input: { http_server: { path: /new, timeout: "\${PATIENCE}" } }
      output: { drop: {} }
`;

/** What a container of the Deployment has in its environment, on ports of its own; throws where a Secret lacks a key. */
function environmentOf(objects: Read[], secrets: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  const [container] = objects.find(({ kind }) => kind === "Deployment").spec.template.spec.containers;
  const variables: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom) {
    const found = objects.find(
      ({ kind, metadata }) => kind === "ConfigMap" && metadata.name === configMapRef.name,
    );
    Object.assign(variables, found.data);
  }
  for (const { name, valueFrom } of container.env) {
    const { secretKeyRef: from } = valueFrom;
    const value = secrets[from.name]?.[from.key];
    if (value !== undefined) variables[name] = value;
    else if (!from.optional) throw new Error(`CreateContainerConfigError: ${from.name} has no ${from.key}`);
  }
  const isListener = (name: string) => name.endsWith("_LISTEN");
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      isListener(name) ? value.replace(/:\d+$/, ":0") : value,
    ]),
  );
}

test("a pod's command starts with the pod's environment, passes its probes, and drains", async () => {
  writeFileSync(join(folder, "notes.yaml"), plain);
  const objects = objectsIn(await build("notes.yaml", "notes"));
  assert.throws(() => environmentOf(objects, {}), "has no GW_ADMIN_TOKEN");
  const token = "a-token-of-operators";
  const secrets = { "notes-environment": { GW_ADMIN_TOKEN: token, PATIENCE: "5s" } };
  const env = environmentOf(objects, secrets);
  const pods: { program: Program; url: string; admin: string }[] = [];
  for (let replica = 0; replica < 2; replica += 1) {
    const program = start(process.execPath, ["--enable-source-maps", join(folder, "notes/gateway.mjs")], {
      env,
    });
    const { url, adminUrl } = await addressesOf(program);
    pods.push({ program, url: local(url), admin: local(adminUrl) });
  }
  const { spec } = objects.find(({ kind }) => kind === "Deployment").spec.template;
  const [{ startupProbe, livenessProbe, readinessProbe }] = spec.containers;
  const probe = async (admin: string, { httpGet }: Read) => (await fetch(admin + httpGet.path)).status;
  for (const { admin } of pods) {
    for (const each of [startupProbe, livenessProbe, readinessProbe])
      await until(async () => (await probe(admin, each)) === 200);
  }
  const [endpoint] = objects.find(({ kind }) => kind === "ServiceMonitor").spec.endpoints;
  const { name, key } = endpoint.authorization.credentials;
  assert.equal([name, key], ["notes-environment", "GW_ADMIN_TOKEN"]);
  const [first, second] = pods;
  assert.ok(first && second);
  const authorization = `Bearer ${token}`;
  assert.is((await fetch(first.admin + endpoint.path)).status, 401);
  assert.is((await fetch(first.admin + endpoint.path, { headers: { authorization } })).status, 200);

  const seconds = (text = "") => Number(/^(\d+)s$/.exec(text)?.[1]);
  const { GW_DRAIN_DELAY, GW_SHUTDOWN_TIMEOUT } = env;
  assert.ok(readinessProbe.periodSeconds * readinessProbe.failureThreshold < seconds(GW_DRAIN_DELAY));
  assert.ok(spec.terminationGracePeriodSeconds > seconds(GW_DRAIN_DELAY) + seconds(GW_SHUTDOWN_TIMEOUT));
  first.program.process.kill("SIGTERM");
  await until(async () => (await probe(first.admin, readinessProbe)) === 503);
  const headers = { connection: "close" };
  assert.is((await fetch(`${first.url}/new`, { method: "POST", body: "{}", headers })).status, 200);
  assert.is(await probe(second.admin, readinessProbe), 200);
  assert.is(await first.program.stop(), 1, "the second signal ends it");
  await second.program.stop("SIGKILL");
});

/** The address of the pod is that of every interface. */
function local(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:");
}

test.run();
