import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  CompileError,
  compileInterpolation,
  compileMapping,
  compileQuery,
  MappingError,
  type MappingOptions,
  type MessageInput,
} from "../../compiler/index.ts";

function text(result: { readonly content: Uint8Array } | null): string | undefined {
  return result === null ? undefined : Buffer.from(result.content).toString("utf8");
}

function failureOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}

test("a mapping returns content and metadata, or null when it deletes the message", () => {
  const mapping = compileMapping("root.n = this.n * 2\nmeta from = @key\nmeta key = deleted()");
  const result = mapping.run({ content: '{"n":3}', metadata: { key: "k", kept: [1, { a: true }] } });
  assert.is(text(result), '{"n":6}');
  assert.equal(result?.metadata, { kept: [1, { a: true }], from: "k" });
  assert.is(compileMapping("root = deleted()").run({ content: "{}" }), null);
});

test("bytes pass through a mapping unchanged", () => {
  const content = Uint8Array.of(0xff, 0x00, 0x7b);
  assert.equal(compileMapping("meta a = 1").run({ content })?.content, content);
});

test("a compiled mapping runs on any number of messages", () => {
  const mapping = compileMapping("root = this.a");
  const given: MessageInput[] = [{ content: '{"a":1}' }, { content: '{"a":"x"}' }];
  assert.equal(
    given.map((message) => text(mapping.run(message))),
    ["1", "x"],
  );
});

test("a failure on a message throws a MappingError with the message of the reference engine", () => {
  const error = failureOf(() => compileMapping("root = this.a.uppercase()").run({ content: "{}" }));
  assert.instance(error, MappingError);
  assert.is(error.name, "MappingError");
  assert.is(error.message, "failed assignment (line 1): expected string value, got null from field `this.a`");
});

test("mistakes in the source throw a CompileError with the diagnostics of the JSON output", () => {
  const error = failureOf(() => compileMapping("root.b = ", { file: "a.blobl" }));
  assert.instance(error, CompileError);
  if (!(error instanceof CompileError)) return;
  assert.is(error.message, "line 1 char 10: expected query");
  assert.equal(Object.keys(error.diagnostics[0] ?? {}).slice(0, 8), [
    "code",
    "severity",
    "message",
    "file",
    "line",
    "column",
    "endLine",
    "endColumn",
  ]);
  const first = failureOf(() => compileMapping("root = nope()\nroot.b = ", { file: "a.blobl" }));
  assert.is(first.message, "line 1 char 14: unrecognised function 'nope'");
});

test("a batch provides the other messages of a message, their errors included", () => {
  const mapping = compileMapping('root = [batch_index(), batch_size(), json("a").from(0), error()]');
  const messages = [{ content: '{"a":1}' }, { content: '{"a":2}' }];
  const message = { content: '{"a":2}', error: "it broke" };
  assert.is(text(mapping.run(message, { messages, index: 1 })), '[1,2,1,"it broke"]');
  const others = [{ content: "{}", error: new Error("first") }, { content: "{}" }];
  const first = compileMapping("root = error().from(0)");
  assert.is(text(first.run({ content: "{}" }, { messages: others, index: 1 })), "first");
});

test("an error may name its source component", () => {
  const source = compileMapping(
    "root = [error(), error_source_label(), error_source_type(), error_source_path()]",
  );
  const error = { message: "sad", label: "fetch", type: "http", path: "pipeline" };
  assert.is(text(source.run({ content: "{}", error })), '["sad","fetch","http","pipeline"]');
  assert.is(text(source.run({ content: "{}", error: new Error("sad") })), '["sad",null,null,null]');
});

test("file() reads from the given file system, and fails without one", () => {
  const fileSystem = { readFile: (path: string) => `content of ${path}` };
  assert.is(
    text(compileMapping('root = file("a.txt")', { fileSystem }).run({ content: "{}" })),
    "content of a.txt",
  );
  const without = compileMapping('root = file("a.txt")');
  assert.instance(
    failureOf(() => without.run({ content: "{}" })),
    MappingError,
  );
});

test("env() reads the given environment and nothing else", () => {
  const mapping = compileMapping('root = [env("GIVEN"), env("PATH"), env("toString")]', {
    environment: { GIVEN: "x" },
  });
  assert.is(text(mapping.run({ content: "{}" })), '["x",null,null]');
});

test("imports are read from the given file system, relative to the importing file", () => {
  const files = new Map([
    ["maps/lib/up.blobl", 'import "../more.blobl"\nmap up { root = this.uppercase().apply("more") }'],
    ["maps/more.blobl", 'map more { root = this + "!" }'],
  ]);
  const options: MappingOptions = {
    file: "maps/main.blobl",
    fileSystem: {
      readFile(path) {
        const found = files.get(path);
        if (found === undefined) throw new Error(`no ${path}`);
        return found;
      },
    },
  };
  const source = 'import "./lib/up.blobl"\nroot = this.a.apply("up")';
  assert.is(text(compileMapping(source, options).run({ content: '{"a":"x"}' })), "X!");
  assert.ok(
    failureOf(() => compileMapping('import "none.blobl"\nroot = 1', options)).message.includes("none"),
  );
  assert.instance(
    failureOf(() => compileMapping('import "x"\nroot = 1')),
    CompileError,
  );
});

test("an interpolation returns a string", () => {
  const greeting = compileInterpolation('Hello ${! json("name") } of ${! @team }, ${!batch_size()}');
  const message = { content: '{"name":"Ada"}', metadata: { team: "core" } };
  assert.is(greeting.run(message), "Hello Ada of core, 1");
  assert.is(greeting.run(message, { messages: [message, message], index: 0 }), "Hello Ada of core, 2");
  assert.instance(
    failureOf(() => compileInterpolation("${! nope( }")),
    CompileError,
  );
  assert.instance(
    failureOf(() => compileInterpolation("${! json() }").run({ content: "x" })),
    MappingError,
  );
});

test("a query returns a plain value", () => {
  assert.is(compileQuery("this.a + $b").evaluate({ value: { a: 1 }, vars: { b: 2 } }), 3);
  assert.is(compileQuery("this.a").evaluate({ message: { content: '{"a":"x"}' } }), "x");
  assert.equal(compileQuery('{"a": [1, null, true]}').evaluate(), { a: [1, null, true] });
  const message = { content: '{"a":2}' };
  const batch = { messages: [{ content: '{"a":1}' }, message], index: 1 };
  assert.is(compileQuery('json("a").from(0)').evaluate({ batch }), 1);
  assert.is(
    failureOf(() => compileQuery("$none").evaluate({ vars: {} })).message,
    "variable 'none' undefined",
  );
  assert.instance(
    failureOf(() => compileQuery("this").evaluate()),
    MappingError,
  );
});

test("numbers are preserved, and integers beyond the safe range are bigint", () => {
  const evaluate = (query: string, value?: unknown) => compileQuery(query).evaluate({ value });
  assert.is(evaluate("9007199254740991 + 0"), 9007199254740991);
  assert.is(evaluate("9007199254740991 + 1"), 9007199254740992n);
  assert.is(evaluate("this", 9007199254740993n), 9007199254740993n);
  assert.is(evaluate("this", 18446744073709551615n), 18446744073709551615n);
  assert.is(evaluate("this + 1", 2n), 3);
  assert.is(evaluate("5.0"), 5);
  assert.is(evaluate("this", 1e21), 1e21);
  assert.ok(Object.is(evaluate("this", -0), -0));
  const message = { content: '{"whole":12345678901234567890123,"text":1.0,"power":1e5}' };
  assert.equal(compileQuery("this").evaluate({ message }), {
    whole: 12345678901234567890123n,
    text: 1,
    power: 100000,
  });
});

test("bytes, timestamps and absent values convert to JavaScript values", () => {
  assert.equal(compileQuery("this").evaluate({ value: Uint8Array.of(1, 2) }), Uint8Array.of(1, 2));
  const instant = new Date(Date.UTC(2024, 0, 2, 3, 4, 5, 600));
  assert.is(compileQuery("this").evaluate({ value: instant }), "2024-01-02T03:04:05.6Z");
  assert.is(compileQuery("deleted()").evaluate(), undefined);
  assert.is(compileQuery("if false { 1 }").evaluate(), undefined);
  assert.is(compileQuery("this").evaluate({ value: undefined }), null);
});

test("values without an equivalent in the language are rejected", () => {
  const query = compileQuery("this");
  for (const value of [() => 1, Symbol("s"), new Map(), 2n ** 64n]) {
    assert.instance(
      failureOf(() => query.evaluate({ value })),
      TypeError,
    );
  }
});

test("names such as __proto__ are ordinary names", () => {
  const metadata = JSON.parse('{"__proto__":{"polluted":true}}');
  const result = compileMapping('meta a = @."__proto__".polluted').run({ content: "{}", metadata });
  assert.equal(Object.entries(result?.metadata ?? {}), [
    ["__proto__", { polluted: true }],
    ["a", true],
  ]);
  assert.is(Reflect.get({}, "polluted"), undefined);
});

test.run();
