import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { probeRows } from "../../../compiler/embed/connections/probe-links.ts";
import { inputLinks, outputLinks, resourceLinks } from "../../../compiler/emit/links.ts";
import { projectRoot } from "../../harness/directories.ts";

test("every row names a function that its module exports", async () => {
  const rows = Object.values(probeRows()).flatMap((probes) => Object.values(probes));
  const probes = rows.filter((row) => row !== undefined);
  assert.ok(probes.length > 5);
  for (const { module, symbol } of probes) {
    const exported: Record<string, unknown> = await import(join(projectRoot, module));
    assert.type(exported[symbol], "function", `${module} exports ${symbol}`);
  }
});

test("of every component that may connect it is known whether it does", () => {
  const rows = probeRows();
  const names = (links: object) => Object.keys(links).sort();
  assert.equal(names(rows.input), names(inputLinks));
  assert.equal(names(rows.output), names(outputLinks));
  assert.equal(names(rows.cache), names(resourceLinks.cache));
  assert.equal(names(rows.rate_limit), names(resourceLinks.rate_limit));
});

test.run();
