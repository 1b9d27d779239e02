import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse, stringify } from "yaml";
import type { Tenant } from "../compiler/compile-definition.ts";
import { catalogue, findEntry } from "../compiler/diagnostics/catalogue.ts";
import type { Diagnostic } from "../compiler/diagnostics/diagnostic.ts";
import { explain } from "../compiler/diagnostics/explain.ts";
import { applyFixes } from "../compiler/diagnostics/fixes/apply-fixes.ts";
import { renderPretty } from "../compiler/diagnostics/render/pretty.ts";
import { check, createMemoryFileSystem } from "../compiler/index.ts";
import { readManagementSettings } from "../compiler/management-settings.ts";
import { readPage, type Sample } from "./diagnostics/samples.ts";
import { projectRoot } from "./harness/directories.ts";

const codes = Object.keys(catalogue).toSorted();
const pages = readdirSync(join(projectRoot, "compiler/diagnostics/docs")).filter((name) =>
  name.endsWith(".md"),
);

/** Codes that no document can cause, each with the test that causes it. */
const withoutSample: Readonly<Record<string, string>> = {};

const acme = { organisation: "acme", variables: ["ACME_*"], files: ["/run/secrets/acme/"] };

/** Samples that need more than their text, such as another limit, or bytes that Markdown cannot contain. */
const conditions: Readonly<Record<string, Conditions>> = {
  GW1003: { maximumBytes: 150 },
  GW1004: { encode: (text, isFailing) => Buffer.from(text, isFailing ? "latin1" : "utf8") },
  GW1005: { encode: (text) => Buffer.from(text.replaceAll("␀", "\0")) },
  GW1034: { allowFileReferences: false },
  ...Object.fromEntries(["GW4331", "GW4332", "GW4333"].map((code) => [code, { tenant: acme }])),
  ...Object.fromEntries(
    ["GW4334", "GW4336"].map((code) => [code, { tenant: { ...acme, groups: ["acme-"] } }]),
  ),
  GW4337: { tenant: { ...acme, groupsOfOthers: ["blue-"] } },
};

interface Conditions {
  readonly maximumBytes?: number;
  readonly allowFileReferences?: boolean;
  readonly tenant?: Tenant;
  readonly encode?: (text: string, isFailing: boolean) => Uint8Array;
}

/** Whether a diagnostic matters: a fixed sample may ignore advice, and may contain parts without effect. */
function counts(diagnostic: Diagnostic, code: string): boolean {
  if (diagnostic.code === code) return true;
  return diagnostic.severity !== "info" && diagnostic.code !== "GW4018";
}

/** Returns a sample of one document as YAML in single quotes and as JSON: fixes need other commas, indentation and escapes. */
function formsOf(sample: Sample): readonly Sample[] {
  const [[name, text] = ["", ""]] = sample;
  if (sample.size > 1 || !name.endsWith(".yaml") || name === "gateway.yaml") return [sample];
  const value: unknown = parse(text);
  return [
    sample,
    new Map([[name, stringify(value, { singleQuote: true, defaultStringType: "QUOTE_SINGLE" })]]),
    new Map([[name.replace(".yaml", ".json"), JSON.stringify(value)]]),
  ];
}

/** Applies the fix of the first diagnostic with this code, in each form: the diagnostic disappears, and the text parses. */
async function checkFixes(code: string, fails: Sample): Promise<void> {
  for (const sample of code.startsWith("GW1") ? [fails] : formsOf(fails)) {
    const reported = (found: readonly Diagnostic[]) => found.map((each) => `${each.code}: ${each.message}`);
    const before = await checkSample(code, sample, true);
    const diagnostic = before.find((each) => each.code === code);
    if (diagnostic?.fix === undefined) continue;
    const [fixed] = applyFixes([{ ...diagnostic, fix: { ...diagnostic.fix, isSafe: true } }]);
    assert.ok(fixed, `${code} has a fix without effect`);
    const after = reported(
      await checkSample(code, new Map([...sample, [fixed.file.path, fixed.text]]), true),
    );
    assert.not.ok(after.includes(`${code}: ${diagnostic.message}`), fixed.text);
    const broken = after.filter((each) => /^GW[12](?!018)/.test(each) && !reported(before).includes(each));
    assert.equal(broken, [], fixed.text);
  }
}

async function checkSample(code: string, sample: Sample, isFailing: boolean): Promise<readonly Diagnostic[]> {
  const { encode = (text: string) => Buffer.from(text), ...options } = conditions[code] ?? {};
  const files = Object.fromEntries([...sample].map(([name, text]) => [name, encode(text, isFailing)]));
  const [first = ""] = sample.keys();
  const fileSystem = createMemoryFileSystem(files);
  // Settings of the management service are read separately.
  if (first === "management.yaml") return (await readManagementSettings(first, { fileSystem })).diagnostics;
  return (await check([first], { ...options, fileSystem })).diagnostics;
}

test("every code has a page, and every page has a code", () => {
  const missing = codes.filter((code) => !pages.includes(`${code}.md`) && withoutSample[code] === undefined);
  assert.equal(missing, [], "codes without a page");
  assert.equal(
    pages.filter((name) => !codes.includes(name.slice(0, -3))),
    [],
    "pages without a code",
  );
});

test("slugs are unique, and pages show them", () => {
  const slugs = Object.values(catalogue).map((entry) => entry.slug);
  assert.equal(
    slugs.filter((slug, index) => slugs.indexOf(slug) !== index),
    [],
  );
  for (const [code, entry] of Object.entries(catalogue)) {
    if (!pages.includes(`${code}.md`)) continue;
    const page = readPage(code);
    assert.is(`${page.code}: ${page.slug}`, `${code}: ${entry.slug}`);
    assert.ok(explain(code)?.startsWith(`# ${code}: ${entry.slug}\n`));
  }
});

test("an unknown code has no page", () => {
  assert.is(explain("GW0000"), undefined);
  assert.is(explain("../GW1001"), undefined);
});

for (const code of codes.filter((code) => pages.includes(`${code}.md`))) {
  test(`${code}: the failing sample produces it, the fixed sample does not`, async () => {
    const page = readPage(code);
    const found = await checkSample(code, page.fails, true);
    const failure = renderPretty(found, { color: false });
    assert.ok(
      found.some((diagnostic) => diagnostic.code === code),
      `the failing sample does not produce ${code}:\n${failure}`,
    );
    // An editor can insert each name that a hint suggests. The exports of a package depend on its own files.
    const reported = found.filter(({ hint = "" }) => hint.startsWith("Did you mean "));
    const without = reported.filter(
      (each) => findEntry(each.code)?.fix === undefined && each.code !== "GW4407",
    );
    assert.equal(
      without.map((each) => `${each.code}: ${each.hint}`),
      [],
    );
    await checkFixes(code, page.fails);
    const left = (await checkSample(code, page.fixed, false)).filter((each) => counts(each, code));
    assert.is(renderPretty(left, { color: false }), "", "the fixed sample is not clean");
  });
}

test.run();
