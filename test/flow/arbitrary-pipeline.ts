import fc from "fast-check";

/** A processor as documents write it. */
export type WrittenProcessor = Readonly<Record<string, unknown>>;

interface Tie {
  readonly processor: WrittenProcessor;
  readonly list: readonly WrittenProcessor[];
}

/** Short mappings: what counts here is what becomes of their messages. */
const mapping = fc.constantFrom(
  "root = this",
  "root.a = this.b",
  "root = this\nroot.b = this.a",
  "root.a = this.a.uppercase()",
  "root.c = 1 / this.b",
  "root.a = this.a.number()",
  "root = this.a",
  'root = if this.a == "x" { deleted() }',
  'root.a = if this.a != "x" { throw("no") } else { "x" }',
  "root = if errored() { deleted() }",
  "root = if errored() { this } else { deleted() }",
  "root.e = error()",
  'root.e = error() | "none"',
  "root = this\nroot.failed = errored()",
  'meta k = "x"',
  "root.k = @k",
  "root.k = @k.uppercase()",
  "meta k = this.b",
  "meta k = deleted()",
  'meta = {"k": this.a}',
  "root = @",
  "root = [this, this.a]",
  "root = this.format_json()",
  "root = content()",
  'root = "text"',
  "root = nothing()",
  "root = if batch_index() == 0 { deleted() }",
  "root.n = batch_size()",
  "root = this.a.from(0)",
  "root.all = this.a.from_all()",
  "root.s = error_source_name()",
  "let gone = deleted()\nroot = $gone",
  'map gone {\n  root = deleted()\n}\nroot = this.apply("gone")',
  'root = this.bloblang("root = deleted()")',
  "root = this\nroot.b = deleted()",
  "root = this.map_each(each -> each.value.string())",
  'root.a = match this.a { "x" => 1, this.type() == "object" => this, _ => deleted() }',
  "root.sum = this.b.fold(0, item -> item.tally + item.value)",
  'root = this.merge({"b": {"c": this.a}})',
);

const check = fc.constantFrom(
  "errored()",
  "!errored()",
  "error() != null",
  "error() == null",
  'this.a == "x"',
  "this.b == null",
  'this.a.type() == "string"',
  "this.a",
  "this.b > 1",
  'errored() || this.a == "x"',
  '@k == "x"',
  "@k != null",
  "true",
  "false",
  "this == null",
  "batch_index() == 0",
  'content() == ""',
  'this.a.from(0) == "x"',
  'this.exists("b")',
  'errored() && this.a == "x"',
  '!errored() && this.b.type() == "number"',
);

/** Some processors one after the other, those that hold others among them. */
export const anyPipeline: fc.Arbitrary<readonly WrittenProcessor[]> = fc.letrec<Tie>(
  (tie: fc.LetrecTypedTie<Tie>) => {
    const list = tie("list");
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const switchCase = fc.record(
      { check, processors: list, fallthrough: fc.boolean() },
      { requiredKeys: ["processors"] },
    );
    const named = (name: string, value: fc.Arbitrary<unknown>) => value.map((each) => ({ [name]: each }));
    return {
      list: fc.array(tie("processor"), { minLength: 1, maxLength: 3 }),
      processor: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        named("mapping", mapping),
        named("mutation", mapping),
        named("try", list),
        named("catch", fc.oneof(list, fc.constant([]))),
        named("switch", fc.array(switchCase, { minLength: 1, maxLength: 3 })),
        named("group_by", fc.array(fc.record({ check, processors: list }), { minLength: 1, maxLength: 2 })),
        named(
          "branch",
          fc
            .record({ request_map: optional(mapping), processors: list, result_map: optional(mapping) })
            .map((each) =>
              Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)),
            ),
        ),
        fc.tuple(mapping, list, mapping, fc.boolean()).map(([map, processors, result, isNamed]) => ({
          workflow: {
            ...(isNamed ? { meta_path: "meta.workflow" } : { meta_path: "" }),
            branches: {
              one: { request_map: map, processors, result_map: result },
              two: { request_map: result, processors: [{ noop: {} }], result_map: map },
            },
          },
        })),
        named("for_each", list),
        named("processors", list),
        list.map((processors) => ({ parallel: { processors } })),
        list.map((processors) => ({
          retry: { processors, max_retries: 1, backoff: { initial_interval: "1ms", max_interval: "1ms" } },
        })),
        fc.tuple(check, list, fc.boolean()).map(([test, processors, once]) => ({
          while: { check: test, processors, max_loops: 2, at_least_once: once },
        })),
        fc.constantFrom<WrittenProcessor>(
          { noop: {} },
          { split: {} },
          { select_parts: { parts: [0] } },
          { insert_part: { content: "new" } },
          { archive: { format: "json_array" } },
          { unarchive: { format: "json_array" } },
          { unarchive: { format: "json_map" } },
          { unarchive: { format: "json_documents" } },
          { unarchive: { format: "lines" } },
          { archive: { format: "lines" } },
          { archive: { format: "concatenate" } },
          { split: { size: 2 } },
          { select_parts: { parts: [-1, 0] } },
          { jq: { query: ".a" } },
          { jmespath: { query: "a" } },
          { json_schema: { schema: '{"type":"object"}' } },
          { bounds_check: { min_parts: 1, max_part_size: 10 } },
          { decompress: { algorithm: "gzip" } },
          { group_by_value: { value: "${! @k }" } },
          { msgpack: { operator: "from_json" } },
          { compress: { algorithm: "gzip" } },
          { log: { level: "DEBUG", message: "${! this.a.uppercase() }" } },
          { sleep: { duration: "${! this.b }us" } },
          { group_by_value: { value: "${! this.a.uppercase() }" } },
        ),
      ),
    };
  },
).list;
