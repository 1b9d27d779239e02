import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { accessLogLink, exporterLinks, measureLink, observeLink } from "../compiler/emit/analytics-links.ts";
import { allLinks, inputLinks, outputLinks, processorLinks, resourceLinks } from "../compiler/emit/links.ts";
import { methodLinks, protectionLinks } from "../compiler/emit/protection-links.ts";
import { variantNames } from "../compiler/emit/variant-links.ts";
import { componentAliases, connectors, processors, resources } from "../schemas/catalogue.ts";
import { projectRoot } from "./harness/directories.ts";

test("every row names a function that its module exports", async () => {
  for (const { module, symbol } of [
    ...allLinks(),
    ...Object.values(protectionLinks),
    ...Object.values(exporterLinks),
    accessLogLink,
    measureLink,
    observeLink,
    ...Object.values(methodLinks),
  ]) {
    const exported: Record<string, unknown> = await import(join(projectRoot, module));
    assert.type(exported[symbol], "function", `${module} exports ${symbol}`);
  }
});

test("a row that is wrong would be noticed", async () => {
  const exported: Record<string, unknown> = await import(join(projectRoot, "runtime/gateway.ts"));
  assert.is(exported.kafkaInput, undefined);
});

test("every component that documents may name has a row, and every row a component", () => {
  const withRole = (role: "input" | "output") =>
    Object.keys(connectors).filter((name) => connectors[name]?.[role] !== undefined);
  const named = (names: readonly string[], aliases: Readonly<Record<string, string>>) =>
    [...names, ...Object.keys(aliases)].sort();
  assert.equal(Object.keys(inputLinks).sort(), named(withRole("input"), componentAliases.input));
  assert.equal(Object.keys(outputLinks).sort(), named(withRole("output"), componentAliases.output));
  assert.equal(
    [...Object.keys(processorLinks), ...variantNames].sort(),
    named(Object.keys(processors), componentAliases.processor),
  );
  for (const role of ["cache", "rate_limit"] as const) {
    assert.equal(Object.keys(resourceLinks[role]).sort(), Object.keys(resources[role]).sort());
  }
});

test("an alias has the row of what it stands for", () => {
  const roles = { input: inputLinks, output: outputLinks, processor: processorLinks };
  for (const [role, links] of Object.entries(roles)) {
    for (const [alias, name] of Object.entries(componentAliases[role as keyof typeof roles])) {
      assert.equal(links[alias], links[name], alias);
    }
  }
});

test.run();
