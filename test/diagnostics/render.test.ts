import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Diagnostic, Severity } from "../../compiler/diagnostics/diagnostic.ts";
import { renderGithub } from "../../compiler/diagnostics/render/github.ts";
import { renderJson } from "../../compiler/diagnostics/render/json.ts";
import { renderPretty } from "../../compiler/diagnostics/render/pretty.ts";
import { renderSarif } from "../../compiler/diagnostics/render/sarif.ts";
import { createSourceFile, positionAt, type Span, spanOf } from "../../compiler/source/source.ts";

/** Returns the source range of the first `marked` in a file; an empty one is at its start. */
function spanIn(path: string, text: string, marked: string): Span {
  const start = text.indexOf(marked);
  return spanOf(createSourceFile(path, text), start, start + marked.length);
}

function diagnostic(span: Span, more: Partial<Diagnostic> = {}): Diagnostic {
  return { code: "GW1012", severity: "error", message: "The key `a` is written twice.", span, ...more };
}

function pretty(...diagnostics: readonly Diagnostic[]): string {
  return renderPretty(diagnostics, { color: false });
}

/** The line of code and its marks. */
function frame(text: string, marked: string): readonly string[] {
  return pretty(diagnostic(spanIn("a.yaml", text, marked)))
    .split("\n")
    .slice(3, 5);
}

test("columns of a long line count characters, in whichever order places are located", () => {
  const text = `a\n${"😀b".repeat(5000)}`;
  const file = createSourceFile("a.json", text);
  for (const offset of [14_000, 3, 4098, 8194, 4097, text.length, 14_000]) {
    const characters = [...text.slice(2, offset)];
    // A place within a character has the column behind it.
    assert.equal(positionAt(file, offset), { line: 2, column: characters.length + 1 }, `${offset}`);
  }
});

test("a frame follows the style guide", () => {
  const text = `${"\n".repeat(22)}          root.sku = this.sku.uppercased()\n`;
  const found = diagnostic(spanIn("orders.yaml", text, "uppercased"), {
    code: "GW3004",
    message: "`string` values have no method `uppercased`.",
    hint: "Did you mean `uppercase`?",
  });
  assert.is(
    pretty(found),
    `error GW3004: \`string\` values have no method \`uppercased\`.
   ┌ orders.yaml:23:31
   │
23 │           root.sku = this.sku.uppercased()
   │                               ^^^^^^^^^^
   = hint: Did you mean \`uppercase\`?
   = docs: sluice explain GW3004

1 error
`,
  );
});

test("a related location is shown, in a gutter as wide as the larger line number", () => {
  const text = `a: 1\n${"\n".repeat(8)}b: 2\n`;
  const related = { span: spanIn("a.yaml", text, "a"), message: "The first one is here." };
  assert.is(
    pretty(diagnostic(spanIn("a.yaml", text, "b"), { related, severity: "warning" })),
    `warning GW1012: The key \`a\` is written twice.
   ┌ a.yaml:10:1
   │
10 │ b: 2
   │ ^
   ├ a.yaml:1:1
   │
 1 │ a: 1
   │ - The first one is here.
   = docs: sluice explain GW1012

1 warning
`,
  );
});

test("diagnostics are counted by severity", () => {
  const span = spanIn("a.yaml", "a: 1\n", "a");
  const severities: readonly Severity[] = ["error", "error", "warning", "info"];
  const found = severities.map((severity) => diagnostic(span, { severity }));
  assert.match(pretty(...found), /\n\n2 errors, 1 warning, 1 note\n$/);
  assert.is(pretty(), "");
});

test("tabs, wide characters, combining characters and emoji are underlined at their columns", () => {
  assert.equal(frame("\ta:\tbad\n", "bad"), ["1 │     a:  bad", "  │         ^^^"]);
  assert.equal(frame("名前: bad\n", "bad"), ["1 │ 名前: bad", "  │       ^^^"]);
  assert.equal(frame("名前: bad\n", "名前"), ["1 │ 名前: bad", "  │ ^^^^"]);
  assert.equal(frame("cafe\u0301: bad\n", "bad"), ["1 │ cafe\u0301: bad", "  │       ^^^"]);
  assert.equal(frame("😀: bad\n", "bad"), ["1 │ 😀: bad", "  │     ^^^"]);
});

test("an empty span has one mark, also at the end of a line", () => {
  assert.equal(frame("a: 1\n", ""), ["1 │ a: 1", "  │ ^"]);
  const text = "a: 1\nb:\n";
  const found = diagnostic(spanOf(createSourceFile("a.yaml", text), 7, 7));
  assert.equal(pretty(found).split("\n").slice(3, 5), ["2 │ b:", "  │   ^"]);
});

test("a span over several lines shows the first line", () => {
  assert.equal(frame("a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\n  c"), ["1 │ a:", "  │ ^^ … to line 3"]);
});

test("long lines are cut to the part around the span", () => {
  for (const at of [0, 90, 500, 990]) {
    const text = `${"x".repeat(at)}bad${"y".repeat(1000 - at)}\n`;
    const [code = "", marks = ""] = frame(text, "bad");
    assert.ok([...code].length <= 104, code);
    const start = marks.indexOf("^");
    assert.is([...code].slice(start, start + 3).join(""), "bad", code);
    assert.is(marks.trimEnd().length, start + 3);
  }
  const [code = "", marks = ""] = frame(`${"x".repeat(1000)}\n`, "x".repeat(1000));
  assert.ok(code.length <= 104 && marks.length <= 104 && code.endsWith("…"));
});

test("of a document in one line, only the part around the span is read", () => {
  const text = `{${'"😀": 1, '.repeat(200_000)}"item": 2${', "é": 3'.repeat(200_000)}}`;
  assert.equal(frame(text, '"item"'), [
    `1 │ … ${'"😀": 1, '.repeat(5)}"item": 2${', "é": 3'.repeat(5)}, "…`,
    `  │ ${" ".repeat(47)}^^^^^^`,
  ]);
});

test("control characters are not printed", () => {
  const text = "a: \u001b[31mred\u202e\u009b\n";
  const found = diagnostic(spanIn("a.yaml", text, "red"), { message: "`\u001b[2J` is bad.", hint: "\u0007" });
  const shown = [...pretty(found)].map((char) => char.codePointAt(0) ?? 0);
  const isHarmful = (code: number) => (code < 0x20 && code !== 0x0a) || (code >= 0x7f && code < 0xa0);
  assert.equal(
    shown.filter((code) => isHarmful(code) || code === 0x202e),
    [],
  );
});

test("a file that could not be read is named without a frame", () => {
  const found = diagnostic(spanOf(createSourceFile("a.yaml", ""), 0, 0), { message: "No such file." });
  assert.is(
    pretty(found),
    "error GW1012: No such file.\n  ┌ a.yaml\n  = docs: sluice explain GW1012\n\n1 error\n",
  );
});

test("colour is used only on request", () => {
  const found = diagnostic(spanIn("a.yaml", "a: 1\n", "a"));
  assert.ok(renderPretty([found], { color: true }).includes("\u001b[31m"));
  assert.not.ok(pretty(found).includes("\u001b"));
});

test("JSON has lines and columns in code points, from 1, the end exclusive", () => {
  const text = "😀: |\n  x: bad\n";
  const [item] = JSON.parse(renderJson([diagnostic(spanIn("a/b.yaml", text, "bad"), { hint: "Do." })]));
  assert.equal(item, {
    code: "GW1012",
    severity: "error",
    message: "The key `a` is written twice.",
    file: "a/b.yaml",
    line: 2,
    column: 6,
    endLine: 2,
    endColumn: 9,
    hint: "Do.",
    docs: "sluice explain GW1012",
  });
  assert.is(JSON.parse(renderJson([diagnostic(spanIn("a", "😀bad", "bad"))]))[0].column, 2);
  assert.is(renderJson([]), "[]");
});

test("GitHub workflow commands are escaped", () => {
  const text = "a: 1\nb: 2\n";
  const found = diagnostic(spanIn("a,b:c%.yaml", text, "b"), { message: "100%\r\nbad::x", hint: "Do." });
  assert.is(
    renderGithub([found]),
    "::error file=a%2Cb%3Ac%25.yaml,line=2,endLine=2,col=1,endColumn=2,title=GW1012 duplicate-key::100%25%0D%0Abad::x%0ADo.\n",
  );
  const several = renderGithub([diagnostic(spanIn("a", text, "a: 1\nb"), { severity: "info" })]);
  assert.match(several, /^::notice file=a,line=1,endLine=2,title=/);
  assert.is(renderGithub([]), "");
});

test("SARIF has a rule with help for each code, and locations as relative URIs", () => {
  const text = "a: 1\nb: 2\n";
  const related = { span: spanIn("a.yaml", text, "a"), message: "first" };
  const found = [
    diagnostic(spanIn("my apis/ä.yaml", text, "b"), { related, hint: "Do." }),
    diagnostic(spanIn("/abs/a.yaml", text, "a"), { code: "GW1047", severity: "info" }),
  ];
  const log = JSON.parse(renderSarif(found));
  assert.is(log.version, "2.1.0");
  const [run] = log.runs;
  assert.equal(
    run.tool.driver.rules.map((rule: { id: string; name: string }) => `${rule.id} ${rule.name}`),
    ["GW1012 DuplicateKey", "GW1047 VendorSpelling"],
  );
  assert.match(run.tool.driver.rules[0].help.markdown, /^# GW1012/);
  const [first, second] = run.results;
  assert.equal([first.ruleIndex, first.level, second.ruleIndex, second.level], [0, "error", 1, "note"]);
  assert.is(first.message.text, "The key `a` is written twice. Do.");
  const place = first.locations[0].physicalLocation;
  assert.is(place.artifactLocation.uri, "my%20apis/%C3%A4.yaml");
  assert.equal(place.region, { startLine: 2, startColumn: 1, endLine: 2, endColumn: 2 });
  assert.is(first.relatedLocations[0].message.text, "first");
  assert.is(second.locations[0].physicalLocation.artifactLocation.uri, "file:///abs/a.yaml");
  assert.is(JSON.parse(renderSarif([])).runs[0].results.length, 0);
});

test.run();
