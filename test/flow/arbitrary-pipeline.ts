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
);

/** Some processors one after the other, those that hold others among them. */
export const anyPipeline: fc.Arbitrary<readonly WrittenProcessor[]> = fc.letrec<Tie>(
  (tie: fc.LetrecTypedTie<Tie>) => {
    const list = tie("list");
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const switchCase = fc.record({ check, processors: list }, { requiredKeys: ["processors"] });
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
          { archive: { format: "lines" } },
          { compress: { algorithm: "gzip" } },
          { log: { level: "DEBUG", message: "${! this.a.uppercase() }" } },
          { sleep: { duration: "${! this.b }us" } },
          { group_by_value: { value: "${! this.a.uppercase() }" } },
        ),
      ),
    };
  },
).list;
