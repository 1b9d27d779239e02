import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { metricTable, prometheusName } from "../../../runtime/analytics/metric-table.ts";
import { projectRoot } from "../../harness/directories.ts";

test("the guide has exactly one row for each metric", () => {
  const guide = readFileSync(join(projectRoot, "docs/operations.md"), "utf8");
  const rows = guide.split("\n").filter((line) => /^\| `(sluice|process)_/.test(line));
  const expected = Object.values(metricTable).map((definition) => {
    const labels = definition.labels.map((label) => `\`${label}\``).join(" ");
    return `| \`${prometheusName(definition)}\` | ${definition.kind} | ${labels} | ${definition.help} |`;
  });
  assert.equal(rows, expected);
});

test("names are distinct", () => {
  const names = Object.values(metricTable).map(prometheusName);
  assert.is(new Set(names).size, names.length);
});

test.run();
