// AWK programs: the results of the reference engine in `cases.json`, and what a message must not cause.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Message } from "../../../../runtime/message/message.ts";
import { awkLibrary, inspectAwk } from "../../../../runtime/processors/awk/inspect.ts";
import { componentContext } from "../../connectors/contexts.ts";
import { linkProgram } from "./linked.ts";

interface Setting {
  /** `text` by default. */
  readonly codec?: "none" | "text" | "json";
  /** `document`: the document below. */
  readonly message?: string;
  readonly base64?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly max_steps?: number;
}

/** The message after the program. Without `out` or `bytes`, its content is unchanged. */
interface Outcome {
  readonly out?: string;
  readonly bytes?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly error?: string;
}

/** A program, and its outcome in the reference engine; `build` if it is refused. */
type Case = readonly [program: string, outcome: Outcome | "build", setting?: Setting];

const cases: readonly Case[] = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8"));
const lines = "a b c\n1 2.50 3\n  x  y \n\n10 0x1A 1e2\n";
// A number keeps its text, so the message must not be parsed here.
const document =
  '{"doc":{"val1":5,"val2":10.50,"s":"text","t":true,"n":null,"arr":[1,"two",{"x":3},null],"e":{},"ea":[],"big":12345678901234567890,"exp":1e5},"id":"1","type":"add","a-b":"dash","é":"acc","foo":{"bar":{"baz":"deep"}},"__proto__":"p","constructor":"c"}';

// Times without a zone are in the zone of the process.
process.env.TZ = "UTC";

const called = new Set<string>();

function contentOf({ message = lines, base64 }: Setting): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  return Buffer.from(message === "document" ? document : message);
}

/** Returns what becomes of a message, or `build` and what a build reports. */
async function run(program: string, setting: Setting = {}) {
  const { codec = "text", metadata = {}, max_steps = 5_000_000 } = setting;
  const linked = await linkProgram({ codec, program, max_steps });
  if (!("processor" in linked)) return { build: linked.join("; ") };
  for (const name of linked.called) called.add(name);
  const given = Message.fromBytes(contentOf(setting), new Map(Object.entries(metadata)));
  const [[made] = []] = await linked.processor.process([given], componentContext());
  return {
    bytes: Buffer.from(made?.bytes() ?? []),
    metadata: Object.fromEntries(made?.metadata ?? []),
    error: made?.failure?.message,
  };
}

/** Returns the text that a program prints. */
async function output(program: string, setting?: Setting): Promise<string | undefined> {
  const found = await run(program, setting);
  return found.error ?? found.build ?? found.bytes?.toString();
}

test("programs have the results of the reference engine, and fail where it fails", async () => {
  for (const [program, outcome, setting = {}] of cases) {
    const found = await run(program, setting);
    if (outcome === "build") {
      assert.ok(found.build !== undefined, `${program}: ${found.bytes}`);
      continue;
    }
    const { out, bytes, error, metadata = setting.metadata ?? {} } = outcome;
    const content =
      bytes === undefined
        ? out === undefined
          ? contentOf(setting)
          : Buffer.from(out)
        : Buffer.from(bytes, "base64");
    const shown = [program, JSON.stringify(setting), found.build, found.error].join(" ");
    assert.is(found.bytes?.toString("latin1"), content.toString("latin1"), shown);
    assert.equal(found.metadata, metadata, shown);
    assert.is(found.error === undefined, error === undefined, shown);
  }
});

test("the cases call every function of the library", () => {
  assert.equal(
    awkLibrary.filter((name) => !called.has(name)),
    [],
  );
});

test("failures have the texts of the reference engine", async () => {
  const differing = new Set<string>();
  for (const [program, outcome, setting = {}] of cases) {
    if (outcome === "build" || outcome.error === undefined) continue;
    const found = await run(program, setting);
    // Invalid patterns are described by another library.
    if (found.error !== outcome.error && !outcome.error.includes("regex")) differing.add(program);
  }
  assert.equal([...differing], []);
});

test("commands, files and the environment are refused", async () => {
  for (const program of [
    '{ print > "file" }',
    '{ print >> "file" }',
    '{ printf "x" > $1 }',
    '{ print | "cat" }',
    '{ "date" | getline }',
    '{ "date" | getline x }',
    '{ getline < "file" }',
    '{ getline x < "file" }',
    '{ system("date") }',
    '{ print ENVIRON["HOME"] }',
    'function f(a) { return a["HOME"] } { print f(ENVIRON) }',
    "{ for (name in ENVIRON) print name }",
  ])
    assert.match((await run(program)).build ?? "accepted", /^programs cannot /, program);
  assert.is(
    await output('BEGIN { ARGV[1] = "/etc/passwd"; ARGC = 2 } { print }'),
    "can't read from file due to NoFileReads",
  );
});

test("a problem has its place in the program, and an unknown function a suggestion", () => {
  const program = '{ x = 1 }\n{ print jsonget("é"), f(1) }\nfunction f() { }';
  const { problems } = inspectAwk({ program });
  assert.equal(
    problems.map(({ message, place: { start, end } = { start: 0, end: 0 } }) => [
      message,
      program.slice(start, end),
    ]),
    [
      ["function `jsonget` does not exist", "jsonget"],
      ["`f` takes at most 0 arguments, not 1", "f"],
    ],
  );
  assert.ok(problems[0]?.unknown?.among.includes("json_get"));
});

/** Programs that would not end or would need all memory, with the reason of their failure. */
const hostile: readonly (readonly [program: string, reason: RegExp])[] = [
  ["BEGIN { while (1) ; }", /more than 100000 steps/],
  ["BEGIN { for (;;) ; }", /more than 100000 steps/],
  ["BEGIN { do ; while (1) }", /more than 100000 steps/],
  ["BEGIN { while (1) a[i++] }", /more than 100000 steps/],
  ["BEGIN { for (i = 0; i < 1000000; i++) x = x i }", /more than 100000 steps/],
  ['BEGIN { x = "x"; while (1) x = x x }', /steps|larger/],
  ['BEGIN { x = "x"; while (1) gsub(/x/, "&&", x) }', /steps|large/],
  ['BEGIN { x = "x"; while (1) a[x = x x] = x }', /steps|larger/],
  ['BEGIN { while (1) printf "%1000000d", 1 }', /steps|larger/],
  ['BEGIN { x = sprintf("%1000000d", 1); while (1) y = length(x) index(x, "y") }', /steps/],
  ['BEGIN { x = sprintf("%1000000d", 1); while (1) x ~ "(a+)+$" }', /steps/],
  ['BEGIN { x = sprintf("%1000000d", 1); while (1) split(x, a, "") }', /steps/],
  ['BEGIN { x = sprintf("%1000000d", 1); while (1) y = x + 1 }', /steps/],
  ['BEGIN { x = sprintf("%1000000d", 1); while (1) if (toupper(x) == tolower(x)) y }', /steps/],
  ["BEGIN { NF = 1000000; while (1) $1 = 1 }", /steps/],
  ["BEGIN { while (1) NF = NF + 1000 }", /steps/],
  ["function f() { f() } BEGIN { f() }", /maximum call depth|too deep/],
  ["function f() { f(); f() } BEGIN { f() }", /maximum call depth|too deep/],
  ["function f(n) { if (n > 20) return; f(n + 1); f(n + 1) } BEGIN { f(0) }", /steps/],
  ["function f(n) { if (n) { f(n - 1); f(n - 1) } } BEGIN { f(30) }", /steps/],
  ['BEGIN { while (1) json_set("a" i++, "x") }', /steps/],
  ['BEGIN { while (1) json_append("l", "x") }', /steps/],
  ['BEGIN { while (1) json_get("") }', /steps/],
  ['BEGIN { while (1) print_log("x") }', /steps/],
  ['BEGIN { while (1) metadata_set("k" i++, "v") }', /steps/],
  ["{ while (1) getline }", /steps/],
  ["BEGIN { ARGC = 1000000 } { print }", /more than 100000 steps/],
];

test("neither a message nor a program can occupy the gateway", async () => {
  for (const [program, reason] of hostile)
    assert.match(String(await output(program, { max_steps: 100_000, message: '{"a":1}' })), reason, program);
});

test("nesting is limited by the build, and what is allowed runs", async () => {
  const levels = (count: number): readonly string[] => [
    `BEGIN { print ${"(".repeat(count)}1${")".repeat(count)} }`,
    `BEGIN { print ${"!".repeat(count - (count % 2))}1 }`,
    `BEGIN { ${"if (1) ".repeat(count)}print 1 }`,
    `BEGIN { ${"{".repeat(count)}print 1${"}".repeat(count)} }`,
    `BEGIN { print ${"length(".repeat(count)}1${")".repeat(count)} }`,
  ];
  for (const program of levels(150)) assert.is(await output(program), "1", program.slice(0, 40));
  for (const program of levels(100_000))
    assert.match(String(await output(program)), /more than 200 levels are nested/, program.slice(0, 40));
  assert.is(await output(`BEGIN { print ${"1+".repeat(900)}1 }`), "901");
  assert.match(String(await output(`BEGIN { print ${"1+".repeat(100_000)}1 }`)), /operations are chained/);
  assert.is(await output("function f(n) { return n ? 1 + f(n - 1) : 0 } BEGIN { print f(500) }"), "500");
});

test("names from messages are neither prototypes nor properties", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const message = JSON.stringify(Object.fromEntries(names.map((name) => [name, "v"])));
  for (const name of names) {
    assert.is(await output(`BEGIN { print ("${name}" in a); a["${name}"] = 1; print length(a) }`), "0\n1");
    assert.is(await output(`{ print ${name} "|" }`, { codec: "json", message: "{}" }), "|");
    assert.is(
      await output(`{ print json_type("x.${name}") }`, { codec: "none", message: '{"x":{}}' }),
      "undefined",
    );
  }
  assert.is(await output("{ print __proto__ constructor }", { codec: "json", message: message }), "vv");
});

test("print_log writes a line to the log", async () => {
  const context = componentContext();
  const program = 'BEGIN { print_log("a"); print_log("b", "WARN") }';
  const linked = await linkProgram({ codec: "none", program });
  assert.ok("processor" in linked);
  await linked.processor.process([Message.fromText("x")], context);
  assert.equal(
    context.lines.map(({ level, message }) => [level, message]),
    [
      ["info", "a"],
      ["warn", "b"],
    ],
  );
});

test("rand is the same for the same seed, and below 1", async () => {
  const program =
    "BEGIN { srand(5); a = rand(); srand(5); print (a == rand()), (a >= 0 && a < 1), (a != rand()) }";
  assert.is(await output(program), "1 1 1");
});

test.run();
