import { test } from "uvu";
import * as assert from "uvu/assert";
import { planDocuments } from "../../compiler/compile.ts";
import { optimisePlan } from "../../compiler/optimise/index.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import type { ComponentPlan } from "../../compiler/plan/plan.ts";
import { emitValue } from "../emit/emitted.ts";

function streamOf(processors: readonly object[], output: object = { path: "/out" }): object {
  return {
    input: { http_server: { path: "/in" } },
    pipeline: { processors },
    output: { http_server: output },
  };
}

/** The processors after fusing, as their names and, where they are several mappings, how many. */
async function fused(processors: readonly object[]): Promise<readonly string[]> {
  const fileSystem = createMemoryFileSystem({ "stream.yaml": JSON.stringify(streamOf(processors)) });
  const { plan } = await planDocuments(["stream.yaml"], { fileSystem });
  if (plan === undefined) throw new Error("the document has errors");
  return (optimisePlan(plan).apis[0]?.streams[0]?.pipeline ?? []).map(shown);
}

function shown({ name, options }: ComponentPlan): string {
  const value = options.fields[0]?.value;
  return value?.kind === "MappingSequence" ? `${value.steps.length} mappings` : name;
}

const plain = { mapping: "root.id = this.id" };
const changes = { mutation: "root.id = this.id + 1" };

test("consecutive mappings and mutations are fused, up to other processors", async () => {
  assert.equal(await fused([plain, changes, { bloblang: "root = this" }]), ["3 mappings"]);
  const between = { http: { url: "http://127.0.0.1:1/" } };
  assert.equal(await fused([plain, changes, between, plain]), ["2 mappings", "http", "mapping"]);
});

test("a mapping that reads the batch begins a new group", async () => {
  for (const query of ["batch_size()", "batch_index()", 'json("id").from(1)', 'json("id").from_all()']) {
    const asks = { mapping: `root.id = [${query}]` };
    assert.equal(await fused([plain, asks, { mapping: "root = this" }]), ["mapping", "2 mappings"], query);
  }
});

test("a map that reads the batch, and a counter shared by mappings, begin a new group", async () => {
  const inMap = { mapping: 'map place { root = batch_index() }\nroot.a = this.apply("place")' };
  assert.equal(await fused([plain, inMap]), ["mapping", "mapping"]);
  const counts = { mapping: 'root.a = count("shared")' };
  assert.equal(await fused([counts, counts]), ["mapping", "mapping"]);
});

test("nothing is fused where scripts read the source of a failure", async () => {
  const asks = { mapping: "root.where = error_source_path()" };
  assert.equal(await fused([plain, plain, asks]), ["mapping", "mapping", "mapping"]);
});

test("nothing is fused in a `try`, which may stop between two mappings, unlike in other processors", async () => {
  const inside = async (processor: object): Promise<readonly string[]> => {
    const fileSystem = createMemoryFileSystem({ "stream.yaml": JSON.stringify(streamOf([processor])) });
    const { plan } = await planDocuments(["stream.yaml"], { fileSystem });
    if (plan === undefined) throw new Error("the document has errors");
    const list = optimisePlan(plan).apis[0]?.streams[0]?.pipeline[0]?.options.fields[0]?.value;
    return list?.kind === "List"
      ? list.items.map((item) => (item.kind === "Component" ? shown(item) : ""))
      : [];
  };
  assert.equal(await inside({ try: [plain, changes] }), ["mapping", "mutation"]);
  assert.equal(await inside({ for_each: [plain, changes] }), ["2 mappings"]);
});

test("the fused function cites every mapping, and imports nothing to print or parse", async () => {
  const { gateway } = await emitValue(streamOf([plain, changes]));
  assert.match(gateway, "mapping(streamMapping)");
  assert.match(gateway, "pipeline.processors[0].mapping");
  assert.match(gateway, "pipeline.processors[1].mutation");
  assert.not.match(gateway, "json");
});

test.run();
