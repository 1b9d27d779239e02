// Mappings compiled and run in this process: what the conformance data does not look at.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { CompileError } from "../../compiler/embed/errors.ts";
import {
  compileMapping,
  compileQuery,
  compileTemplate,
  type ScriptOptions,
} from "../../compiler/embed/mapping.ts";
import type { MappingMode } from "../../compiler/plan/mapping/ir.ts";
import { MappingError } from "../../runtime/errors.ts";
import { MappingRun } from "../../runtime/mapping/run.ts";
import { Message } from "../../runtime/message/message.ts";

/** The content that comes out, or the text of the failure. */
function run(
  source: string,
  content: string,
  options: ScriptOptions & { mode?: MappingMode } = {},
): string | undefined {
  const compiled = compileMapping(source, options);
  const state = new MappingRun([Message.fromText(content)], 0);
  try {
    const message = state.finish(compiled(state));
    return message === undefined ? undefined : Buffer.from(message.bytes()).toString("utf8");
  } catch (error) {
    if (error instanceof MappingError) return error.message;
    throw error;
  }
}

function refusal(source: string, options: ScriptOptions = {}): string {
  try {
    compileMapping(source, options);
  } catch (error) {
    if (error instanceof CompileError) return error.message;
    throw error;
  }
  return "compiled";
}

test("a copy of the root does not change with it", () => {
  assert.is(run("root.x = 1\nroot.copy = root\nroot.y = 2", "{}"), '{"copy":{"x":1},"x":1,"y":2}');
  assert.is(run("root.x = 1\nlet v = root\nroot.y = 2\nroot.v = $v", "{}"), '{"v":{"x":1},"x":1,"y":2}');
  assert.is(run('let o = {"a":1}\nroot = $o\nroot.b = 2\nroot.o = $o', "{}"), '{"a":1,"b":2,"o":{"a":1}}');
  assert.is(
    run("root.a.b = 1\nlet v = root.a\nroot.a.c = 2\nroot.v = $v", "{}"),
    '{"a":{"b":1,"c":2},"v":{"b":1}}',
  );
  assert.is(
    run("root.a = 1\nroot.b = match root { this.a == 1 => this }\nroot.c = 3", "{}"),
    '{"a":1,"b":{"a":1},"c":3}',
  );
});

test("the source document is never changed", () => {
  const source = "root = this\nroot.a.b = 2\nroot.c = deleted()\nroot.again = this";
  assert.is(run(source, '{"a":{"b":1},"c":3}'), '{"a":{"b":2},"again":{"a":{"b":1},"c":3}}');
});

test("prototype keys are ordinary keys", () => {
  const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  const expected = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
  assert.is(run("root = this", hostile), expected);
  assert.is(
    run('root."__proto__".x = this.__proto__.polluted\nroot.y = 1', hostile),
    '{"__proto__":{"x":true},"y":1}',
  );
  assert.is(run('root = {"__proto__": {"polluted": true}}', "{}"), '{"__proto__":{"polluted":true}}');
  assert.is(
    run(
      'root.a = 1\nroot."__proto__" = {"polluted": true}\nroot.constructor.prototype.polluted = true',
      "{}",
    ),
    '{"__proto__":{"polluted":true},"a":1,"constructor":{"prototype":{"polluted":true}}}',
  );
  assert.is(
    run("root = this.map_each(v -> v.value)\nroot.b = 1", hostile),
    '{"__proto__":{"polluted":true},"b":1,"constructor":{"prototype":{"polluted":true}}}',
  );
  assert.is(
    run('root.a = this.toString | "none"\nroot.b = this.a.hasOwnProperty', '{"a":{}}'),
    '{"a":"none","b":null}',
  );
  assert.is(Reflect.get({}, "polluted"), undefined);
});

test("a failure names the line of its statement", () => {
  assert.is(
    run("root.a = 1\n\nroot.b = this.c.uppercase()", "{}"),
    "failed assignment (line 3): expected string value, got null from field `this.c`",
  );
  assert.is(
    run("if this.a == null {\n  root.b = this.c.uppercase()\n}", "{}"),
    "failed assignment (line 1): expected string value, got null from field `this.c`",
  );
  assert.is(
    run('root.a = 1\nmap m {\n  root.x = 1\n  root.y = this.z + 1\n}\nroot.b = this.apply("m")', "{}"),
    "failed assignment (line 6): failed assignment (line 3): cannot add types null (from field `this.z`) and number (from number literal)",
  );
});

test("content that is not JSON is an error only where it is read as JSON", () => {
  assert.is(run("root = content().uppercase()", "text"), "TEXT");
  assert.is(run('root.a = this.a | "none"', "text"), '{"a":"none"}');
  assert.is(run('root.a = this.a.catch("none")', "text"), '{"a":"none"}');
  assert.ok(
    run('root.a = {"b": this.a}', "text")?.startsWith(
      "failed assignment (line 1): unable to reference message as structured (with 'this.a')",
    ),
  );
});

test("deleted() and nothing() in each kind of statement", () => {
  assert.is(run("root = deleted()", "{}"), undefined);
  assert.is(run("root = if false { 1 }", '{"b":1, "a":2}'), '{"b":1, "a":2}');
  assert.is(run("root.a = 1\nroot.a = nothing()\nroot.b = deleted()", "{}"), '{"a":1}');
  assert.is(run("root.a = deleted()", '{"b":1}'), "{}");
  assert.is(
    run("root = deleted()\nroot.a = 1", "{}"),
    "failed assignment (line 2): unable to set target path a as the value of the root was a non-object type (delete)",
  );
  assert.is(
    run('root.a = [1, deleted(), nothing(), 2]\nroot.b = {"c": deleted(), "d": 1}', "{}"),
    '{"a":[1,2],"b":{"d":1}}',
  );
});

test("lambdas remove their context from the stack", () => {
  assert.is(
    run("root = this.items.map_each(item -> item.id + this.base)", '{"items":[{"id":1}],"base":5}'),
    "[6]",
  );
  assert.is(run("root = x -> x.foo", '{"foo":1}'), "1");
  assert.is(run("root = this.a.(b -> b.c + this.d)", '{"a":{"c":1},"d":2}'), "3");
});

test("maps recurse up to the limit of the language", () => {
  const source = 'map deep { root = this.apply("deep") }\nroot = this.apply("deep")';
  assert.ok(run(source, "{}")?.includes("entering map deep exceeded maximum allowed stacks of 5000"));
  const tree =
    'map sum {\n  root = this.value + this.children.map_each(child -> child.apply("sum")).fold(0, item -> item.tally + item.value)\n}\nroot = this.apply("sum")';
  assert.is(run(tree, '{"value":1,"children":[{"value":2,"children":[]},{"value":3,"children":[]}]}'), "6");
});

test("imports provide maps, and missing imports are reported", () => {
  const files = new Map([
    ["/lib/maps.blobl", "map up { root = this.uppercase() }\n"],
    ["/lib/all.blobl", 'import "./maps.blobl"\nroot = this.a.apply("up")\n'],
  ]);
  const fileSystem = { readFile: (path: string) => files.get(path) ?? missing(path) };
  assert.is(run('import "/lib/maps.blobl"\nroot = this.a.apply("up")', '{"a":"x"}', { fileSystem }), "X");
  assert.is(run('from "/lib/all.blobl"', '{"a":"x"}', { fileSystem }), "X");
  assert.ok(refusal('import "/lib/none.blobl"\nroot = 1', { fileSystem }).includes("/lib/none.blobl"));
});

test("compile errors have the message of the reference engine", () => {
  assert.is(refusal("root = not_a_function()"), "line 1 char 24: unrecognised function 'not_a_function'");
  assert.is(
    refusal('root = this.slice("x")'),
    'line 1 char 23: field low: expected number value, got string ("x")',
  );
});

test("of several mistakes, the first in the source is reported, regardless of kind", () => {
  assert.is(refusal("root.a = foo()\nroot.b = "), "line 1 char 15: unrecognised function 'foo'");
  assert.is(refusal("root.a =1\nroot.b = foo()"), "line 1 char 9: expected whitespace");
  assert.is(refusal("root = bar(foo())"), "line 1 char 17: unrecognised function 'foo'");
});

test("literal arguments that can never work are rejected", () => {
  const refused = (source: string) => refusal(source).replace(/^line \d+ char \d+: /, "");
  assert.is(refusal('root = this.a.encode("base63")'), "line 1 char 31: unrecognized encoding type: base63");
  assert.is(refused('root = "a".hash("hmac_sha1")'), "hash algorithm hmac_sha1 requires a key argument");
  assert.is(refused("root = range(0, 10, 0)"), "step must be greater than or less than 0");
  assert.is(
    refused("root = range(start: 3, stop: 3)"),
    "with positive step arg start (3) must be < stop (3)",
  );
  assert.is(refused('root = this.a.re_match("(")').slice(0, 21), "error parsing regexp:");
  assert.is(refused("root = range(0, this.a, 0)"), "compiled");
});

test("an unknown parameter suggests the missing one", () => {
  const refused = (source: string) => refusal(source).replace(/^line \d+ char \d+: /, "");
  assert.is(refused("root = this.slice(from: 1)"), "unknown parameter from, did you mean low?");
  assert.is(refused("root = this.slice(low: 1, hgh: 2)"), "unknown parameter hgh");
  assert.is(refused('root = this.replace_all(a: "x")'), "unknown parameter a, expected old, new");
  assert.is(refused("root = this.slice(b: 1, a: 2)"), "unknown parameters a, b, did you mean low?");
});

test("operators that fail on literals are rejected at the start of their chain", () => {
  const types = "number (from number literal) and string (from string literal)";
  assert.is(refusal('root = this.a + 1 * "x" - 2'), `line 1 char 8: cannot multiply types ${types}`);
  assert.is(refusal('root.a = 1\nroot.b = (5 - -"x")'), `line 2 char 11: cannot subtract types ${types}`);
  assert.is(refusal("root = [1, 2 + 5 / 0]"), "line 1 char 12: number literal: attempted to divide by zero");
  assert.is(refusal("root = {(1 + 1): 2}"), "line 1 char 8: object keys must be strings, received: int64");
  assert.is(refusal("root = {(1 < 2): 2}"), "line 1 char 8: object keys must be strings, received: bool");
});

test("files are read from the given file system", () => {
  const files = new Map([
    ["maps/prices.json", '{"a":1.50}'],
    ["note.txt", "hello"],
  ]);
  const fileSystem = { readFile: (path: string) => files.get(path) ?? missing(path) };
  const options = { file: "maps/orders.blobl", fileSystem };
  assert.is(run('root = file("note.txt").string() + "!"', "{}", options), "hello!");
  assert.is(run('root = file_rel_json("./prices.json").a', "{}", options), "1.50");
  assert.is(run("root = file(this.name)", '{"name":"maps/prices.json"}', options), '{"a":1.50}');
  assert.is(run('root = file("none").catch(e -> e)', "{}", options), "open none: no such file or directory");
  assert.is(run('root = file("note.txt").catch(e -> e)', "{}"), "open note.txt: there is no file system");
});

test("unsupported functions are reported as unrecognised", () => {
  assert.is(refusal('root = cache_get("a", "b")'), "line 1 char 27: unrecognised function 'cache_get'");
});

test("mistakes in a template have character offsets from its start", () => {
  const refused = (text: string): string => {
    try {
      compileTemplate(text);
      return "compiled";
    } catch (error) {
      return error instanceof CompileError ? error.message : String(error);
    }
  };
  assert.is(refused("a ${! foo() }"), "char 12: unrecognised function 'foo'");
  assert.is(refused("one\ntwo ${! this.a.slice() }"), "char 27: missing parameter: low");
  assert.is(
    refused("one\ntwo ${! 1 + this }, ${! 1 / 0 }"),
    "char 29: number literal: attempted to divide by zero",
  );
});

test("each compiled mapping has its own counters", () => {
  const compiled = compileMapping("root = counter()");
  const values = [1, 2].map(() => compiled(new MappingRun([], 0)));
  assert.equal([...values, compileMapping("root = counter()")(new MappingRun([], 0))], [1, 2, 1]);
});

test("a mutation that assigns `this` to a field assigns a snapshot", () => {
  assert.is(run("root.b = 1\nroot.b = this", '{"a":1}', { mode: "mutation" }), '{"a":1,"b":{"a":1,"b":1}}');
  assert.is(
    run('root.b = {"c": this | 0}\nroot.a = 2', '{"a":1}', { mode: "mutation" }),
    '{"a":2,"b":{"c":{"a":1}}}',
  );
});

test("a mutation reads its own earlier assignments", () => {
  assert.is(run("root.a = this.a + 1\nroot.b = this.a", '{"a":1}', { mode: "mutation" }), '{"a":2,"b":2}');
});

test("queries and templates compile and run", () => {
  const batch = [Message.fromText('{"a":{"b":5}}')];
  assert.is(compileQuery("this.a.b * 2 == $ten")(new MappingRun(batch, 0), { ten: 10 }), true);
  assert.is(compileTemplate("x`\\${! this.a.b }-${! this.c }")(new MappingRun(batch, 0)), "x`\\5-null");
});

function missing(path: string): never {
  throw new Error(`no ${path}`);
}

test("calls on literals are evaluated at compile time, and rejected if they fail", () => {
  assert.is(
    refusal('root = "P3S".parse_duration_iso8601()'),
    "line 1 char 38: P3S: 'S' designator cannot occur here",
  );
  const zone = "failed to parse timezone location name: unknown time zone Nowhere";
  assert.is(refusal('root = this.at.ts_tz("Nowhere")'), `line 1 char 32: ${zone}`);
  const time = 'parsing time "x" as "2006": cannot parse "x" as "2006"';
  assert.is(refusal('root = "x".ts_parse("2006").ts_unix().string()'), `line 1 char 28: ${time}`);
  assert.is(refusal("root = this.at.ts_format(tz: this.zone)"), "compiled");
  assert.match(refusal('root = this.at.ts_sub("x")'), /^line 1 char 27: field t2: parsing time "x" as/);
  assert.is(run('root = match this.d { "1m".parse_duration() => "minute" }', '{"d":60000000000}'), "minute");
  assert.is(run('root = "2020-08-14".ts_parse("2006-01-02").ts_unix() - 1', "{}"), "1597363199");
});

test.run();
