import { test } from "uvu";
import * as assert from "uvu/assert";
import { compileDefinition } from "../../compiler/compile-definition.ts";

const acme = { organisation: "acme", variables: [], files: ["/run/acme/"] };
const drop = { drop: {} };

/** Returns a definition as plain values, with `processors` and an output. */
function definition(processors: readonly object[], output: object): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Orders", version: "1.0.0" },
    paths: {},
    "x-gw-api-gateway": {
      info: { name: "orders", state: { active: true } },
      server: { listenPath: { value: "/orders/" } },
    },
    "x-gw-streaming": {
      streams: { intake: { input: { http_server: { path: "/new" } }, pipeline: { processors }, output } },
    },
  });
}

test("names in allow_unsafe do not allow the files of others", async () => {
  const sqlite = (dsn: string) =>
    definition([{ sql_raw: { driver: "sqlite", dsn, query: "SELECT 1" } }], drop);
  const reads: readonly ((file: string) => string)[] = [
    sqlite,
    (file) => sqlite(`file:${file}?mode=ro`),
    (file) => sqlite(`file://${file}`),
    (file) => definition([{ sql: { driver: "sqlite", data_source_name: file, query: "SELECT 1" } }], drop),
    (file) =>
      definition(
        [
          {
            sql_raw: { driver: "postgres", dsn: "postgres://a@h/d", query: "SELECT 1", init_files: [file] },
          },
        ],
        drop,
      ),
    (file) =>
      definition(
        [
          {
            sql: {
              driver: "postgres",
              data_source_name: `postgres://a@h/d?sslkey=${file}`,
              query: "SELECT 1",
            },
          },
        ],
        drop,
      ),
  ];
  const text = "streaming: { enabled: true }\nallow_unsafe: [sqlite, init_files]\n";
  for (const [index, read] of reads.entries())
    for (const [file, expected] of [
      ["/run/acme/a", []],
      ["/run/acme/../a", ["GW4332"]],
      ["management.db", ["GW4332"]],
      ["/etc/a", ["GW4332"]],
    ] as const) {
      const settings = { path: "gateway.yaml", text };
      const { diagnostics } = await compileDefinition(
        { path: "orders.json", text: read(file) },
        { tenant: acme, settings },
      );
      const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
      assert.equal(codes, expected, `${index}: ${file}`);
    }
});

test.run();
