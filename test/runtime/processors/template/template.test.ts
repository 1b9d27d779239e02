// Templates: the results of the reference engine in `cases.json`, and what a message must not cause.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Message } from "../../../../runtime/message/message.ts";
import { libraryNames } from "../../../../runtime/processors/template/inspect.ts";
import { Dict, isTrue } from "../../../../runtime/processors/template/values.ts";
import { componentContext } from "../../connectors/contexts.ts";
import { linkTemplate } from "./linked.ts";

/** Fields in addition to the text. */
interface Setting {
  readonly message?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly sub_templates?: Readonly<Record<string, string>>;
  readonly max_steps?: number;
}

/** A template, and its text in the reference engine; `error` if it fails on the message, `build` if it is refused. */
type Case = readonly [text: string, outcome: { readonly out: string } | "error" | "build", setting?: Setting];

const read = (name: string) => readFileSync(join(import.meta.dirname, name), "utf8");
const cases: readonly Case[] = JSON.parse(read("cases.json"));
// A number keeps its text, so the message must not be parsed here.
const message = read("message.json");

// Times without a zone are in the zone of the process.
process.env.TZ = "UTC";

const called = new Set<string>();

/** Returns what becomes of a message: `{ out }`, `{ error }`, or `{ build }` with what a build reports. */
async function run(text: string, setting: Setting = {}) {
  const { sub_templates: others = {}, metadata = {}, ...options } = setting;
  const subTemplates = Object.fromEntries(
    Object.entries(others).map(([name, each]) => [name, { text: each }]),
  );
  const linked = await linkTemplate({ text, sub_templates: subTemplates, ...options });
  if (!("processor" in linked)) return { build: linked.join("; ") };
  for (const name of linked.called) called.add(name);
  const given = Message.fromText(setting.message ?? message, new Map(Object.entries(metadata)));
  const [[made] = []] = await linked.processor.process([given], componentContext());
  if (made?.failure !== undefined) return { error: made.failure.message };
  return { out: Buffer.from(made?.bytes() ?? []).toString() };
}

test("templates give the same text as in the reference engine, and fail where it fails", async () => {
  for (const [text, outcome, setting] of cases) {
    const found = await run(text, setting);
    const [kind = ""] = Object.keys(found);
    if (typeof outcome === "string") assert.is(kind, outcome, `${text}: ${JSON.stringify(found)}`);
    else assert.equal(found, outcome, text);
  }
});

test("the cases call every function of the library", () => {
  assert.equal(
    libraryNames.filter((name) => !called.has(name)),
    [],
  );
});

/** Templates that would not end or would need all memory, with the reason of their failure. */
const hostile: readonly (readonly [text: string, reason: RegExp])[] = [
  ["{{ range until 1000000000 }}{{ end }}", /more than 100000 steps/],
  ["{{ range 1000000000000 }}{{ end }}", /more than 100000 steps/],
  ["{{ untilStep 0 1000000000000 1 }}", /more than 100000 steps/],
  ["{{ seq 1000000000 }}", /more than 100000 steps/],
  [
    "{{ range until 4000 }}{{ range until 4000 }}{{ range until 4000 }}x{{ end }}{{ end }}{{ end }}",
    /more than 100000 steps/,
  ],
  ['{{ repeat 1000000000 "x" }}', /too large/],
  ['{{ $x := "x" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}', /steps|too large/],
  ["{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ $x }}", /more than 100000 steps/],
  ["{{ $x := list 1 }}{{ range until 60 }}{{ $x = concat $x $x }}{{ end }}", /steps|too large/],
  [
    "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ deepEqual $x (deepCopy $x) }}",
    /steps/,
  ],
  ["{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ toJson $x }}", /steps/],
  ['{{ $x := dict }}{{ $_ := set $x "x" $x }}{{ $x }}', /steps|nested too deeply/],
  ['{{ $x := dict }}{{ $_ := set $x "x" $x }}{{ toJson $x }}', /steps|nested too deeply/],
  ['{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}', /more than 1000 times/],
  [
    '{{ define "r" }}{{ template "r" . }}{{ template "r" . }}{{ end }}{{ template "r" . }}',
    /more than 1000 times/,
  ],
  ['{{ indent 1000000 (repeat 100000 "\\n") }}', /too large/],
  ['{{ replace "x" (repeat 100000 "y") (repeat 100000 "x") }}', /too large/],
  ['{{ printf "%1000000d" 1 | repeat 1000 }}', /steps|too large/],
  ["{{ randBytes 999999999999 }}", /steps|too large/],
  ["{{ range until 1000000 }}{{ toPrettyJson $ }}{{ end }}", /more than 100000 steps/],
  // Most functions read a whole text, even if their result is short.
  ...["len $x", "substr 0 1 $x", 'trimSuffix "b" $x | len', "fromJson $x"].map(
    (call) =>
      [
        `{{ $x := repeat 10000 "a" }}{{ range until 1000 }}{{ ${call} }}{{ end }}`,
        /more than 100000 steps/,
      ] as const,
  ),
  // Others examine each character, or each match.
  ...["snakecase $x", "camelcase $x", "title $x", 'toDate "2006" $x', 'regexFindAll "a" $x 1'].map(
    (call) =>
      [
        `{{ $x := repeat 150 "a" }}{{ range until 1000 }}{{ $y := ${call} }}{{ end }}`,
        /more than 100000 steps/,
      ] as const,
  ),
];

test("neither a message nor a template can occupy the gateway", async () => {
  for (const [text, reason] of hostile) {
    const found = await run(text, { max_steps: 100_000 });
    assert.match("error" in found ? found.error : Object.keys(found).join(), reason, text);
  }
});

test("patterns take linear time, and deep values are failures of the message", async () => {
  const long = JSON.stringify({ a: `${"a".repeat(50_000)}b` });
  assert.equal(await run('{{ regexMatch "(a+)+$" .a }}', { message: long }), { out: "false" });
  const nested = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  const found = await run("{{ deepEqual . (deepCopy .) }}", { message: nested });
  assert.ok("error" in found || found.out === "true", JSON.stringify(found));
  assert.match(JSON.stringify(await run("(".repeat(20_000).replace(/^/, "{{ "))), /build/);
  assert.match(JSON.stringify(await run("{{ if . }}".repeat(20_000))), /build/);
});

test("nesting and the number of variables are limited by the build, and what is allowed runs", async () => {
  const levels = (count: number): readonly string[] => [
    `{{ ${"(".repeat(count)}1${")".repeat(count)} }}`,
    `{{ ${"(print ".repeat(count)}1${")".repeat(count)} }}`,
    `${"{{ if 1 }}".repeat(count)}1${"{{ end }}".repeat(count)}`,
    `{{ if 0 }}${"{{ else if 0 }}".repeat(count - 1)}{{ else }}1{{ end }}`,
    `${Array.from({ length: count }, (_, index) => `{{ block "b${index}" . }}`).join("")}1${"{{ end }}".repeat(count)}`,
  ];
  for (const text of levels(500)) assert.equal(await run(text), { out: "1" });
  for (const text of levels(501)) assert.equal(await run(text), { build: "more than 500 levels are nested" });
  const variables = (count: number) =>
    Array.from({ length: count }, (_, index) => `{{ $v${index} := 1 }}`).join("");
  assert.equal(await run(`${variables(999)}{{ $v998 }}`), { out: "1" });
  assert.equal(await run(variables(1000)), { build: "more than 1000 variables are in scope" });
});

test("the keys of a dictionary are counted once", () => {
  let counted = 0;
  const source = new Proxy<Record<string, string>>(
    { a: "b" },
    {
      ownKeys(target) {
        counted++;
        return Reflect.ownKeys(target);
      },
    },
  );
  const dict = Dict.fromObject(source, false);
  assert.equal([isTrue(dict), isTrue(dict), dict.size, counted], [true, true, 1, 1]);
});

test("a failure names the place in the template", async () => {
  assert.equal(await run("a\n {{ upper .n }}", { message: '{"n":1}' }), {
    error: "template: main:2:11: wrong type for value; expected string; got json.Number",
  });
  assert.equal(
    await run('{{ template "t" . }}', { sub_templates: { t: "{{ .a.b }}" }, message: '{"a":null}' }),
    {
      error: "template: t:1:4: `.b` of null",
    },
  );
});

test("functions that use the environment, the network or much time are refused with the reason", async () => {
  for (const name of ["env", "expandenv", "getHostByName", "bcrypt", "htpasswd", "derivePassword", "genCA"]) {
    const found = await run(`{{ ${name} "a" }}`);
    assert.match(JSON.stringify(found), new RegExp(`build.*${name}.* is not available: `));
  }
});

test.run();
