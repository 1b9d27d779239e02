import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { cacheContract, outputContract } from "../../../component/contract.ts";
import type { Output } from "../../../runtime/component/component.ts";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import { sqlCache } from "../../../runtime/connectors/sql/cache.ts";
import { type OpenDatabase, withPlaceholders } from "../../../runtime/connectors/sql/database.ts";
import { sqlInsertOutput } from "../../../runtime/connectors/sql/insert/insert.ts";
import {
  postgresOlder,
  postgresOlderOutput,
  sqliteOlder,
  sqliteOlderOutput,
} from "../../../runtime/connectors/sql/older/older.ts";
import { openPostgres } from "../../../runtime/connectors/sql/postgres.ts";
import { sqlRawInput, sqlRawOutput } from "../../../runtime/connectors/sql/raw/raw.ts";
import { sqlSelectInput } from "../../../runtime/connectors/sql/select/select.ts";
import { openSqlite } from "../../../runtime/connectors/sql/sqlite.ts";
import { sqlInsert, sqlRaw, sqlSelect } from "../../../runtime/connectors/sql/steps.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";
import { startPostgres } from "../../harness/brokers/postgres.ts";
import { postgres } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, outagesInto, textOfBatch } from "./contexts.ts";

const test = suite("sql");
const server = await postgres();
const admin = new pg.Client({ connectionString: server.address });
await admin.connect();
const name = `sql_${randomBytes(4).toString("hex")}`;
await admin.query(`CREATE DATABASE ${name}`);
const postgresDsn = `${server.address.replace(/\/[^/]*$/, `/${name}`)}?sslmode=disable`;
const sqliteFile = join(temporaryDirectory("sqlite"), "test.db");
test.after(async () => {
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  await server.stop();
});

interface Kind {
  readonly driver: "postgres" | "sqlite";
  readonly dsn: string;
  readonly open: OpenDatabase;
  readonly first: string;
}

const kinds: readonly Kind[] = [
  { driver: "postgres", dsn: postgresDsn, open: openPostgres, first: "$1" },
  { driver: "sqlite", dsn: `file:${sqliteFile}`, open: openSqlite, first: "?" },
];

const table = () => `t_${randomBytes(6).toString("hex")}`;
const empty = Message.fromText("");
const made =
  (...values: readonly Value[]) =>
  () =>
    empty.withDocument(values);
/** Returns the parameters: the document itself, which is an array. */
const own = (batch: Batch, index: number) => batch[index] as Message;
const failures = (messages: Batch) => messages.map(({ failure }) => failure?.message);

async function query({ open, dsn }: Kind, statement: string): Promise<string> {
  const database = await open({ dsn }, componentContext());
  const rows = await database.query(statement, []);
  await database.close();
  return textOfBatch([empty.withDocument(rows)]);
}

async function rowsOf(input: ReturnType<typeof sqlRawInput>): Promise<readonly string[]> {
  const seen: string[] = [];
  const ended = Promise.withResolvers<void>();
  const deliver = async (batch: Batch) => {
    seen.push(textOfBatch(batch));
    return {};
  };
  await input.start({ ...inputContext(), deliver, reportEnd: () => ended.resolve() });
  await ended.promise;
  await input.close();
  return seen;
}

for (const kind of kinds) {
  const { driver, dsn, open, first } = kind;
  const place = { driver, dsn };
  const contractTable = async () => {
    const created = table();
    await query(
      kind,
      `CREATE TABLE ${created} (id ${driver === "sqlite" ? "integer" : "serial"} primary key, text text)`,
    );
    return created;
  };

  for (const each of outputContract(async () => {
    const target = await contractTable();
    return {
      create: () =>
        sqlInsertOutput(
          {
            ...place,
            table: target,
            columns: ["text"],
            args_mapping: (batch, index) => made(textOfBatch([batch[index] as Message]))(),
          },
          open,
        ),
      received: async () => {
        const rows = JSON.parse(await query(kind, `SELECT text FROM ${target} ORDER BY id`));
        return rows.map(({ text }: { text: string }) => text);
      },
    };
  }))
    test(`${driver}: ${each.name}`, each.run);

  for (const each of cacheContract(async () => {
    const target = table();
    return sqlCache(
      {
        ...place,
        table: target,
        key_column: "key",
        value_column: "value",
        set_suffix: "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        init_statement: `CREATE TABLE ${target} (key text primary key, value text)`,
      },
      open,
    );
  }))
    test(`${driver}: ${each.name}`, each.run);

  test(`${driver}: the older names run the same statements, and read rows by codec`, async () => {
    const target = await contractTable();
    const older = driver === "postgres" ? postgresOlder : sqliteOlder;
    const olderOutput = driver === "postgres" ? postgresOlderOutput : sqliteOlderOutput;
    const address = { driver, data_source_name: dsn };
    const output = olderOutput({
      ...address,
      query: `INSERT INTO ${target} (text) VALUES (${first})`,
      args_mapping: own,
    });
    await output.start(componentContext());
    await output.write([empty.withDocument(["one"])]);
    await output.close();
    for (const result_codec of ["none", "json_array"] as const) {
      const step = older({ ...address, query: `SELECT text FROM ${target}`, result_codec });
      const [given = []] = await step.process([Message.fromText("kept")], componentContext());
      assert.is(textOfBatch(given), result_codec === "none" ? "kept" : '[{"text":"one"}]');
      await step.close?.();
    }
  });

  test(`${driver}: the rows of a query are delivered in order, then the input ends, for any number of rows`, async () => {
    const target = table();
    await query(kind, `CREATE TABLE ${target} (id integer, kind text)`);
    const values = Array.from({ length: 250 }, (_, index) => `(${index}, 'k${index % 2}')`);
    await query(kind, `INSERT INTO ${target} VALUES ${values.join(", ")}`);
    const input = sqlSelectInput(
      {
        ...place,
        table: target,
        columns: ["id"],
        where: "kind = ? AND kind <> '?'",
        args_mapping: made("k1"),
        suffix: "ORDER BY id",
      },
      open,
    );
    const seen = await rowsOf(input);
    assert.equal(seen.slice(0, 2), ['{"id":1}', '{"id":3}']);
    assert.is(seen.length, 125);
    const raw = sqlRawInput(
      {
        ...place,
        query: `SELECT id FROM ${target} WHERE id > ${first} ORDER BY id`,
        args_mapping: made(247),
      },
      open,
    );
    assert.equal(await rowsOf(raw), ['{"id":248}', '{"id":249}']);
  });

  test(`${driver}: integers keep all digits, in both directions`, async () => {
    const target = table();
    await query(kind, `CREATE TABLE ${target} (id bigint, text text)`);
    const step = sqlInsert({ ...place, table: target, columns: ["id", "text"], args_mapping: own }, open);
    const batch = batchOf('[9223372036854775807,"a"]', "[-9007199254740993,null]", '["x"]', "no array");
    const messages = (await step.process(batch, componentContext())).flat();
    assert.equal(failures(messages).slice(0, 2), [undefined, undefined]);
    assert.is(failures(messages)[2], "mapping returned 1 values for 2 columns");
    assert.match(failures(messages)[3] ?? "", /non-structured/);
    await step.close?.();
    assert.is(
      await query(kind, `SELECT * FROM ${target} ORDER BY id`),
      '[{"id":-9007199254740993,"text":null},{"id":9223372036854775807,"text":"a"}]',
    );
  });

  test(`${driver}: message data are parameters, never SQL`, async () => {
    const target = table();
    await query(kind, `CREATE TABLE ${target} (text text)`);
    const hostile = `'); DROP TABLE ${target}; --`;
    const output = sqlInsertOutput({ ...place, table: target, columns: ["text"], args_mapping: own }, open);
    await output.start(componentContext());
    await output.write(batchOf(JSON.stringify([hostile])));
    await output.close();
    const step = sqlSelect(
      { ...place, table: target, columns: ["*"], where: "text = ?", args_mapping: own },
      open,
    );
    const [found] = (await step.process(batchOf(JSON.stringify([hostile])), componentContext())).flat();
    assert.is(textOfBatch(found === undefined ? [] : [found]), JSON.stringify([{ text: hostile }]));
    const messages = (await step.process(batchOf('[{"a":1}]', '[["a"]]'), componentContext())).flat();
    for (const failure of failures(messages)) assert.match(failure ?? "", /is not a value of a column/);
    // Drivers would write U+FFFD for a byte that is not UTF-8.
    const halved = sqlSelect(
      {
        ...place,
        table: target,
        columns: ["*"],
        where: "text = ?",
        args_mapping: made("\udcff"),
      },
      open,
    );
    const [refused] = failures((await halved.process(batchOf("[]"), componentContext())).flat());
    await halved.close?.();
    assert.is(refused, "The computed `argument $1` is not a text that UTF-8 can hold");
    await step.close?.();
  });

  test(`${driver}: one invalid row rolls back its batch, and is named`, async () => {
    const target = table();
    await query(kind, `CREATE TABLE ${target} (id integer primary key, total integer not null)`);
    const output = sqlInsertOutput(
      { ...place, table: target, columns: ["id", "total"], args_mapping: own },
      open,
    );
    await output.start(componentContext());
    const batch = batchOf("[1,1]", "[2,null]", "[3,3]");
    const refused = await output.write(batch).catch((error: unknown) => error);
    assert.instance(refused, UnfitMessages);
    assert.equal([...(refused as UnfitMessages).failures.keys()], [batch[1]]);
    assert.is(await query(kind, `SELECT * FROM ${target}`), "[]");
    await output.write(batchOf("[1,1]", "[3,3]"));
    assert.is(await query(kind, `SELECT id FROM ${target} ORDER BY id`), '[{"id":1},{"id":3}]');
    await output.close();
    const step = sqlInsert({ ...place, table: target, columns: ["id", "total"], args_mapping: own }, open);
    const messages = (await step.process(batchOf("[4,4]", "[1,1]", "[5,5]"), componentContext())).flat();
    assert.equal(
      messages.map(({ failure }) => failure?.status),
      [undefined, 422, undefined],
    );
    await step.close?.();
    assert.is(await query(kind, `SELECT count(*) AS n FROM ${target}`), '[{"n":4}]');
  });

  test(`${driver}: a statement runs for each message, and its rows replace the message unless exec_only is set`, async () => {
    const target = table();
    const files = temporaryDirectory("init");
    writeFileSync(
      join(files, "a.sql"),
      `CREATE TABLE ${target} (id integer); INSERT INTO ${target} VALUES (1)`,
    );
    const options = { ...place, init_files: [join(files, "*.sql")], init_statement: "SELECT no_such_column" };
    const context = componentContext();
    const step = sqlRaw(
      { ...options, query: `INSERT INTO ${target} VALUES (${first}) RETURNING id`, args_mapping: own },
      open,
    );
    const rows = (await step.process(batchOf("[2]"), context)).flat();
    assert.is(textOfBatch(rows), '[{"id":2}]');
    assert.ok(context.lines.some(({ message }) => message === "init_statement failed"));
    const only = sqlRaw(
      { ...place, exec_only: true, query: `DELETE FROM ${target} WHERE id = ${first}`, args_mapping: own },
      open,
    );
    assert.is(textOfBatch((await only.process(batchOf("[1]"), context)).flat()), "[1]");
    const broken = sqlRaw({ ...place, query: "SELECT no_such_column" }, open);
    const [failed] = (await broken.process(batchOf("x"), context)).flat();
    assert.match(failed?.failure?.message ?? "", /no_such_column/);
    assert.match(failed?.failure?.answer ?? "", /^The database refused the statement/);
    const output = sqlRawOutput(
      { ...place, query: `UPDATE ${target} SET id = ${first}`, args_mapping: own },
      open,
    );
    await output.start(context);
    await output.write(batchOf("[7]", "[8]"));
    assert.is(await query(kind, `SELECT id FROM ${target}`), '[{"id":8}]');
    await Promise.all([step.close?.(), only.close?.(), broken.close?.(), output.close()]);
  });
}

test("postgres: columns of each type have the values of the reference engine", async () => {
  const [postgresKind] = kinds as [Kind];
  const columns = [
    "1::int2 AS a",
    "1234567890123456789.50::numeric AS n",
    "1.1::float4 AS f4",
    "1e300::float8 AS f8",
    "true AS bo",
    "'ab'::char(5) AS ch",
    `'{"a": 1.0}'::jsonb AS jb`,
    "'2024-01-02 03:04:05.6789'::timestamp AS ts",
    "'2024-01-02'::date AS d",
    "'12:34:56.5'::time AS ti",
    "'{a,b}'::text[] AS arr",
    "null::text AS nu",
    "'\\x6869'::bytea AS by",
    "'Infinity'::float8 AS inf",
    "'2024-01-02 03:04:05+00'::timestamptz = '2024-01-02 03:04:05+00'::timestamptz AS same",
  ];
  assert.is(
    await query(postgresKind, `SELECT ${columns.join(", ")}`),
    '[{"a":1,"arr":"{a,b}","bo":true,"by":"hi","ch":"ab   ","d":"2024-01-02T00:00:00Z","f4":1.1,"f8":1e+300,' +
      '"inf":"Infinity","jb":"{\\"a\\": 1.0}","n":"1234567890123456789.50","nu":null,"same":true,' +
      '"ti":"0000-01-01T12:34:56.5Z","ts":"2024-01-02T03:04:05.6789Z"}]',
  );
});

test("sqlite: date and time columns become RFC 3339, and texts stay texts", async () => {
  const kind = kinds[1] as Kind;
  const target = table();
  await query(kind, `CREATE TABLE ${target} (d date, ts timestamp, text text, f real, bl blob)`);
  await query(
    kind,
    `INSERT INTO ${target} VALUES ('2024-01-02', '2024-01-02 03:04:05+00:00', '2024-01-02', 2.0, x'6869')`,
  );
  assert.is(
    await query(kind, `SELECT * FROM ${target}`),
    '[{"bl":"hi","d":"2024-01-02T00:00:00Z","f":2,"text":"2024-01-02","ts":"2024-01-02T03:04:05Z"}]',
  );
});

test("sqlite: statements cannot open further files", async () => {
  const kind = kinds[1] as Kind;
  const other = join(temporaryDirectory("sqlite"), "other.db");
  for (const text of [
    `ATTACH '${other}' AS other`,
    `/* */ aTTach database 'file:' || '${other}' AS other`,
    `VACUUM INTO '${other}'`,
  ]) {
    const failure = await query(kind, text).catch((error: unknown) => error);
    assert.match(String(failure), /not authorized|authorization denied/);
  }
  assert.not(existsSync(other));
  assert.is(await query(kind, "VACUUM"), "[]");
  assert.is(await query(kind, "SELECT 'attach' AS a"), '[{"a":"attach"}]');
});

test("an unreachable database fails the start, without revealing its password", async () => {
  const dsn = `postgres://user:geheim@127.0.0.1:${await freePort()}/x?sslmode=disable`;
  const output = sqlRawOutput({ driver: "postgres", dsn, query: "SELECT 1" }, openPostgres);
  const failure = await output.start(componentContext()).catch((error: unknown) => error);
  assert.is(failure instanceof GatewayError && failure.message, "PostgreSQL unreachable");
  await output.close();
  const encrypted = sqlRawOutput(
    { driver: "postgres", dsn: postgresDsn.replace("?sslmode=disable", ""), query: "SELECT 1" },
    openPostgres,
  );
  assert.instance(await encrypted.start(componentContext()).catch((error: unknown) => error), GatewayError);
  await encrypted.close();
  const nowhere = sqlRawOutput(
    { driver: "sqlite", dsn: "file:/no/such/folder/a.db", query: "SELECT 1" },
    openSqlite,
  );
  assert.instance(await nowhere.start(componentContext()).catch((error: unknown) => error), GatewayError);
  await nowhere.close();
});

test("postgres: writes and reads survive restarts, deadlocks and exhausted connections", async () => {
  const place = { port: await freePort(), directory: temporaryDirectory("postgres") };
  let server = await startPostgres(place);
  const restart = async () => {
    await server.stop();
    server = await startPostgres(place);
  };
  const dsn = `${server.address}?sslmode=disable`;
  const kind: Kind = { driver: "postgres", dsn, open: openPostgres, first: "$1" };
  await query(kind, "CREATE TABLE t (batch integer, row integer, UNIQUE (batch, row))");
  await query(kind, "CREATE TABLE counts (id integer primary key, n integer not null)");
  await query(kind, "INSERT INTO counts VALUES (1, 0), (2, 0)");
  await query(kind, "ALTER SYSTEM SET max_connections = 10");

  const untilWritten = (output: Output, ...rows: readonly string[]) =>
    until(async () => {
      const failure = await output.write(batchOf(...rows)).then(
        () => undefined,
        (error: unknown) => error as GatewayError,
      );
      // Do not repeat a write that succeeded but whose response was lost.
      if (failure === undefined || failure.status === 422) return true;
      assert.ok(failure.retryable, failure.message);
      return false;
    });
  const rows = sqlInsertOutput(
    { ...kind, table: "t", columns: ["batch", "row"], args_mapping: own },
    openPostgres,
  );
  await rows.start(componentContext());
  const batches = 150;
  const write = (batch: number) => untilWritten(rows, ...[1, 2, 3].map((row) => `[${batch},${row}]`));
  const writing = (async () => {
    for (let first = 0; first < batches; first += 10)
      await Promise.all(Array.from({ length: 10 }, (_, index) => write(first + index)));
  })();
  await restart();
  await restart();
  await writing;
  const whole = await query(kind, "SELECT batch FROM t GROUP BY batch HAVING count(*) <> 3");
  assert.is(whole, "[]", "a batch is there as a whole");
  assert.is(await query(kind, "SELECT count(*) AS n FROM t"), `[{"n":${batches * 3}}]`);

  const statement = "UPDATE counts SET n = n + 1 FROM (SELECT pg_sleep(0.05)) AS s WHERE id = $1";
  const updates = [0, 1].map(() =>
    sqlRawOutput({ ...kind, query: statement, args_mapping: own }, openPostgres),
  );
  for (const each of updates) await each.start(componentContext());
  const [one, other] = updates as [Output, Output];
  await Promise.all([untilWritten(one, "[1]", "[2]"), untilWritten(other, "[2]", "[1]")]);
  assert.is(await query(kind, "SELECT n FROM counts ORDER BY id"), '[{"n":2},{"n":2}]');
  for (const each of [rows, ...updates]) await each.close();

  const others: pg.Client[] = [];
  const isFull = async () => {
    const client = new pg.Client({ connectionString: dsn.replace("?sslmode=disable", "") });
    client.on("error", () => undefined);
    const isRefused = await client.connect().then(
      () => false,
      () => true,
    );
    if (!isRefused) others.push(client);
    return isRefused;
  };
  while (!(await isFull()));
  const late = sqlInsert({ ...kind, table: "t", columns: ["batch", "row"], args_mapping: own }, openPostgres);
  const [refused] = (await late.process(batchOf("[999,1]"), componentContext())).flat();
  assert.is(refused?.failure?.retryable, true);
  await Promise.all(others.map((each) => each.end()));
  await until(async () => {
    const [message] = (await late.process(batchOf("[999,1]"), componentContext())).flat();
    return message?.failure === undefined;
  });
  await late.close?.();

  const seen = new Set<string>();
  const ended = Promise.withResolvers<void>();
  const input = sqlSelectInput(
    { ...kind, table: "t", columns: ["batch", "row"], suffix: "ORDER BY batch, row" },
    openPostgres,
  );
  const reports: (string | undefined)[] = [];
  await input.start({
    ...inputContext(),
    beginOutage: outagesInto(reports),
    reportEnd: () => ended.resolve(),
    deliver: async (batch) => {
      seen.add(textOfBatch(batch));
      if (seen.size === 150 && reports.length === 0) await restart();
      return {};
    },
  });
  await ended.promise;
  assert.is(seen.size, batches * 3 + 1);
  assert.equal(reports, ["the rows cannot be read", undefined]);
  await input.close();
  await server.stop();
});

test("question marks are parameters, except in string literals", () => {
  const numbered = (text: string) => withPlaceholders(text, (number) => `$${number}`);
  assert.is(
    numbered(`a = ? AND b = '?''?' AND "c?" = ? AND d ?? 'x'`),
    `a = $1 AND b = '?''?' AND "c?" = $2 AND d ? 'x'`,
  );
});

test.run();
