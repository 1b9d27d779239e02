import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreBuiltins } from "../compiler/builtins/catalogue.ts";
import { accessLogLink, exporterLinks, measureLink, observeLink } from "../compiler/emit/gateway.ts";
import { allLinks } from "../compiler/emit/links.ts";
import { methodLinks, protectionLinks } from "../compiler/emit/protection-links.ts";
import { runtimesOf } from "../schemas/component.ts";
import { components } from "../schemas/generated/components.ts";
import { findRuntimeEntries } from "../scripts/bundle/runtime-entries.ts";
import { projectRoot } from "./harness/directories.ts";

const rows = [
  ...allLinks(),
  ...components.flatMap(runtimesOf),
  ...components.flatMap(({ probe }) => probe ?? []),
  ...components.flatMap(({ inspect }) => inspect ?? []),
  ...Object.values(protectionLinks),
  ...Object.values(exporterLinks),
  accessLogLink,
  measureLink,
  observeLink,
  ...Object.values(methodLinks),
];

/** The modules of builtins. */
const builtinModules = coreBuiltins.builtins
  .filter(({ module }) => module !== "")
  .map(({ module }) => `runtime/mapping/${module}`);

test("every row names an exported function of its module", async () => {
  for (const { module, symbol } of rows) {
    const exported: Record<string, unknown> = await import(join(projectRoot, module));
    assert.type(exported[symbol], "function", `${module} exports ${symbol}`);
  }
});

test("an installation has a file for every module that a row or a builtin names", () => {
  const entries = new Set(findRuntimeEntries(projectRoot));
  assert.equal(
    [...rows.map(({ module }) => module), ...builtinModules].filter((module) => !entries.has(module)),
    [],
  );
  assert.not.ok(
    entries.has("runtime/concurrency/in-flight.ts"),
    "control: others import this one by its path",
  );
});

test("control: a wrong row is detected", async () => {
  const exported: Record<string, unknown> = await import(join(projectRoot, "runtime/gateway.ts"));
  assert.is(exported.kafkaInput, undefined);
});

test("functions that a gateway can link have unique names", () => {
  const functions = [
    ...allLinks(),
    ...components.flatMap(runtimesOf),
    ...Object.values(protectionLinks),
    ...Object.values(exporterLinks),
    ...[accessLogLink, measureLink, observeLink],
    ...Object.values(methodLinks),
    ...coreBuiltins.builtins.flatMap(({ module, symbol, state }) =>
      [symbol, state?.symbol ?? ""].filter((name) => name !== "").map((name) => ({ module, symbol: name })),
    ),
  ];
  const homes = Map.groupBy(functions, ({ symbol }) => symbol);
  const shared = [...homes].filter(([, links]) => new Set(links.map(({ module }) => module)).size > 1);
  assert.equal(
    shared.map(([name, links]) => `${name}: ${links.map(({ module }) => module)}`),
    [],
  );
});

test("components of a role have unique names", () => {
  const names = components.flatMap(({ role, name, aliases = [] }) =>
    [name, ...aliases].map((each) => `${role} ${each}`),
  );
  assert.equal([...new Set(names)], names);
});

test.run();
