import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { folderWith, relay } from "../cli/documents.ts";
import { addressesOf } from "../e2e/gateway.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type Outcome, run, start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { baseLayout } from "./base-layout.ts";

const folder = folderWith({ "orders.yaml": relay() });

function build(...options: string[]): Promise<Outcome> {
  return warmSluice(["build", "orders.yaml", "--container", ...options], { cwd: folder });
}

async function skopeo(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run("skopeo", ["--insecure-policy", ...args], { cwd: folder });
  assert.is(status, 0, stderr);
  return stdout;
}

/** Returns the names and bytes of all files below a folder. */
function treeOf(root: string): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(root, name), "latin1")]));
}

test("--container writes the build context of a container image", async () => {
  assert.equal(await build("-o", "context"), { status: 0, stdout: "", stderr: "" });
  const { Containerfile = "", ".dockerignore": ignored } = treeOf(join(folder, "context"));
  const expected = `${import.meta.dirname}/Containerfile.expected`;
  if (process.env.UPDATE) writeFileSync(expected, Containerfile);
  assert.fixture(Containerfile, readFileSync(expected, "utf8"));
  assert.is(ignored, "*\n!gateway.mjs\n!gateway.mjs.map\n!manifest.json\n");
});

/** Returns the arguments of Node in the health check of a build in `output`. */
function healthCheckOf(output: string): readonly string[] {
  const containerfile = readFileSync(join(folder, output, "Containerfile"), "utf8");
  const [, line = ""] = /HEALTHCHECK [^\n]*\\\n +CMD (\[.*\])/.exec(containerfile) ?? [];
  const [, ...args] = JSON.parse(line) as string[];
  return args;
}

test("the image of a new project has the same health check", () => {
  const checkIn = (file: string) =>
    /HEALTHCHECK (?:[^\n]*\\\n +)?(CMD .*)/.exec(readFileSync(file, "utf8"))?.[1];
  const check = checkIn(join(folder, "context/Containerfile"));
  assert.match(check ?? "", "GW_ADMIN_LISTEN");
  assert.is(checkIn(join(projectRoot, "examples/project/Containerfile")), check);
});

test("the health check of the image follows the admin listener", async () => {
  const args = healthCheckOf("context");
  const check = async (admin: string) =>
    (await run(process.execPath, args, { env: { GW_ADMIN_LISTEN: admin } })).status;
  const gateway = start(process.execPath, [join(folder, "context/gateway.mjs")], {
    env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "0.0.0.0:0" },
  });
  const { adminUrl } = await addressesOf(gateway);
  const { port } = new URL(adminUrl);
  assert.is(await check(`0.0.0.0:${port}`), 0);
  assert.is(await gateway.stop(), 0);
  assert.is(await check(`0.0.0.0:${port}`), 1);
});

for (const [name, listen] of [
  ["a literal", "127.0.0.1:PORT"],
  ["a variable", "${OPERATORS}"],
  ["the default of a variable", "${HOST:0.0.0.0}:${NUMBER:PORT}"],
] as const) {
  test(`the health check follows admin.listen of the settings, from ${name}`, async () => {
    const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const address = JSON.stringify(listen.replace("PORT", String(port)));
    const settings = `streaming: { enabled: true }\napis: [orders.yaml]\nadmin: { listen: ${address} }\n`;
    writeFileSync(join(folder, "gateway.yaml"), settings);
    const built = await warmSluice(["build", "gateway.yaml", "--container", "-o", "settings"], {
      cwd: folder,
    });
    assert.equal(built, { status: 0, stdout: "", stderr: "" });
    const check = async (env: Record<string, string>) =>
      (await run(process.execPath, [...healthCheckOf("settings")], { env })).status;
    const env = { GW_ADMIN_LISTEN: "", OPERATORS: `127.0.0.1:${port}` };
    assert.is(await check(env), 0);
    server.close();
    assert.is(await check(env), 1);
  });
}

test("an image on top of a base image is accepted by skopeo, and its files run", async () => {
  const base = baseLayout({ architectures: ["amd64", "arm64"] });
  const options = ["--base-image", base, "--image", "registry.example.com:5000/orders:1.2"];
  assert.equal(await build("-o", "out", ...options), { status: 0, stdout: "", stderr: "" });
  for (const architecture of ["amd64", "arm64"]) {
    const platform = ["--override-os", "linux", "--override-arch", architecture];
    const config = JSON.parse(await skopeo(...platform, "inspect", "--config", "oci:out/image:1.2"));
    assert.equal([config.architecture, config.os, config.rootfs.diff_ids.length], [architecture, "linux", 2]);
    assert.equal(config.config.Entrypoint, ["node"]);
    assert.equal(config.config.Cmd, ["--enable-source-maps", "/gateway/gateway.mjs"]);
    assert.equal([config.config.User, config.config.Labels.base], ["65532:65532", "yes"]);
    // It checks each digest, and that the layers are those of the configuration.
    await skopeo(...platform, "copy", "oci:out/image:1.2", `docker-archive:${architecture}.tar:orders:1.2`);
  }
  await skopeo("copy", "--all", "oci:out/image:1.2", "dir:copied");
  const platform = ["--override-os", "linux", "--override-arch", "amd64"];
  const { Layers } = JSON.parse(await skopeo(...platform, "inspect", "oci:out/image:1.2"));
  const root = temporaryDirectory("root");
  for (const layer of Layers as string[]) {
    const blob = join(folder, "out/image/blobs/sha256", layer.slice("sha256:".length));
    assert.is((await run("tar", ["-xf", blob, "-C", root])).status, 0);
  }
  assert.equal(readdirSync(join(root, "gateway")).sort(), [
    "gateway.mjs",
    "gateway.mjs.map",
    "manifest.json",
  ]);
  assert.is(statSync(join(root, "gateway/gateway.mjs")).mode & 0o777, 0o444);
  const gateway = start(process.execPath, ["--enable-source-maps", join(root, "gateway/gateway.mjs")], {
    cwd: join(root, "gateway"),
    env: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
  });
  const { adminUrl } = await addressesOf(gateway);
  assert.is((await fetch(`${adminUrl}/healthz`)).status, 200);
  assert.is(await gateway.stop(), 0);
});

test("the same build on the same base yields the same image, and replaces the previous one", async () => {
  const base = baseLayout();
  const first = await build("-o", "one", "--base-image", base);
  assert.is(first.status, 0, first.stderr);
  const moved = temporaryDirectory("moved");
  cpSync(base, join(moved, "node"), { recursive: true });
  mkdirSync(join(folder, "two/image/blobs"), { recursive: true });
  writeFileSync(join(folder, "two/image/blobs/old"), "left over");
  assert.is((await build("-o", "two", "--base-image", `${join(moved, "node")}:24`)).status, 0);
  assert.equal(treeOf(join(folder, "two/image")), treeOf(join(folder, "one/image")));
});

test("a base image that starts node by its path keeps its entrypoint, and one without history has none", async () => {
  const base = baseLayout({ entrypoint: ["/nodejs/bin/node"], env: [], history: undefined });
  assert.is((await build("-o", "distroless", "--base-image", base)).status, 0);
  const { config, history } = JSON.parse(await skopeo("inspect", "--config", "oci:distroless/image"));
  assert.equal(config.Entrypoint, ["/nodejs/bin/node"]);
  assert.is(history, undefined, "no history of fewer layers than the image has");
});

test("an unusable base image is reported in one line, and leaves no image", async () => {
  const damaged = baseLayout();
  const [layer = ""] = Object.entries(treeOf(join(damaged, "blobs/sha256")))
    .filter(([, bytes]) => !bytes.startsWith("{"))
    .map(([name]) => name);
  writeFileSync(join(damaged, "blobs/sha256", layer), "other bytes");
  const escaping = baseLayout();
  const index = readFileSync(join(escaping, "index.json"), "utf8");
  writeFileSync(join(escaping, "index.json"), index.replace(/sha256:\w+/, "../../oci-layout"));
  const cases: readonly (readonly [string, string])[] = [
    [join(folder, "nowhere"), "it is not an OCI image layout"],
    [`${baseLayout()}:22`, "it holds no image `22`"],
    [baseLayout({ os: "windows" }), "it holds no image for Linux"],
    [baseLayout({ env: ["NODE_VERSION=22.14.0"] }), "it has Node 22.14, and a gateway needs 22.15 or newer"],
    [
      baseLayout({ manifestType: "application/vnd.docker.distribution.manifest.v2+json" }),
      "`application/vnd.docker.distribution.manifest.v2+json` is not an OCI image; convert it with `skopeo copy --format oci`",
    ],
    [damaged, `the blob sha256:${layer} has other content than its digest says`],
    [escaping, "it has a digest of another kind than sha256"],
  ];
  for (const [base, reason] of cases) {
    const { status, stderr } = await build("-o", "refused", "--base-image", base);
    assert.equal([status, stderr], [1, `sluice: cannot use the base image \`${base}\`: ${reason}\n`]);
  }
  assert.not(readdirSync(join(folder, "refused")).some((name) => name.startsWith("image")));
});

test("options that require another one are usage errors", async () => {
  const cases: readonly (readonly [string[], string])[] = [
    [["--container"], "option '-o, --output <folder>' is missing"],
    [["--container", "--dump", "plan"], "option '--container' needs option '-o, --output <folder>'"],
    [["--executable", "--dump", "plan"], "option '--executable' needs option '-o, --output <folder>'"],
    [["-o", "x", "--node", "y"], "option '--node <file>' needs option '--executable'"],
    [["-o", "x", "--base-image", "y"], "option '--base-image <layout>' needs option '--container'"],
    [["-o", "x", "--container", "--image", "a b"], "Expected a name such as"],
  ];
  for (const [options, text] of cases) {
    const { status, stderr } = await warmSluice(["build", "orders.yaml", ...options], { cwd: folder });
    assert.is(status, 64);
    assert.match(stderr, text);
  }
});

test.run();
