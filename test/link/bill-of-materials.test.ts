import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as CycloneDX from "@cyclonedx/cyclonedx-library";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createBillOfMaterials } from "../../compiler/link/bill-of-materials.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { warmSluice } from "../harness/sluice.ts";

const validator = new CycloneDX.Validation.JsonStrictValidator(CycloneDX.Spec.Version.v1dot6);

const document = `input: { kafka: { addresses: ["\${KAFKA}"], topics: [a], consumer_group: a } }
pipeline: { processors: [{ mapping: 'root.at = this.a.re_replace_all("x", "y")' }] }
output: { nats_jetstream: { urls: ["\${NATS}"], subject: a } }
`;

/** Builds the document below `folder`, each time at another time and place. Resolves with the files. */
async function build(folder: string, zone: string): Promise<ReadonlyMap<string, string>> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "stream.yaml"), document);
  utimesSync(join(folder, "stream.yaml"), new Date(0), new Date(zone === "UTC" ? 0 : 1e12));
  const built = await warmSluice(["build", "stream.yaml", "-o", "out"], { cwd: folder, env: { TZ: zone } });
  assert.equal(built, { status: 0, stdout: "", stderr: "" });
  const out = join(folder, "out");
  return new Map(
    readdirSync(out)
      .sort()
      .map((name) => [name, readFileSync(join(out, name), "utf8")]),
  );
}

const first = await build(join(temporaryDirectory("first"), "a"), "UTC");

test("builds of the same document at another place and time have the same bytes", async () => {
  const second = await build(join(temporaryDirectory("second"), "b/c"), "Asia/Tokyo");
  assert.equal([...first.keys()], [...second.keys()]);
  for (const [name, text] of first) assert.ok(text === second.get(name), `${name} differs`);
});

test("a build lists the packages of its bundle and their licences in a valid bill of materials", async () => {
  const text = first.get("sbom.cdx.json") ?? "";
  assert.is(await validator.validate(text), null);
  const bill = JSON.parse(text);
  const names = bill.components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]*$/, ""));
  for (const name of ["pkg:npm/sluice", "pkg:npm/kafkajs", "pkg:npm/%40nats-io/transport-node"]) {
    assert.ok(names.includes(name), name);
  }
  // Publishing to JetStream does not need its package.
  for (const name of ["pkg:npm/mqtt", "pkg:npm/%40nats-io/jetstream"])
    assert.not.ok(names.includes(name), "what is not in the bundle is not in the bill");
  const notices = first.get("gateway.mjs") ?? "";
  const licences = first.get("third-party-licenses.txt") ?? "";
  assert.ok(notices.includes(licences.trim().slice(0, 500)));
  for (const { group, name, licenses } of bill.components) {
    assert.ok(licences.includes(`${group === undefined ? "" : `${group}/`}${name}:\n`), name);
    assert.is.not(licenses[0].license.id, undefined, name);
  }
  const { files } = JSON.parse(first.get("manifest.json") ?? "");
  assert.ok(files["sbom.cdx.json"] && files["third-party-licenses.txt"]);
});

test("licence expressions and unknown licences are valid too", async () => {
  const licences = ["(MIT OR Apache-2.0)", "SEE LICENSE IN LICENSE.txt", "BSD-3-Clause"];
  const bill = createBillOfMaterials(
    licences.map((licence, at) => ({
      ...{ name: `@acme/p${at}`, version: "1.0.0+build", licence, holders: [], terms: "" },
    })),
  );
  assert.is(await validator.validate(bill), null);
});

test.run();
