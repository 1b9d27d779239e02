import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openPostgres } from "../../../runtime/connectors/sql/postgres.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { componentContext } from "./contexts.ts";

test("the client of PostgreSQL sends nothing from the environment of the process", async () => {
  const marker = `secret_${randomBytes(4).toString("hex")}`;
  const passwords = join(temporaryDirectory("pgpass"), "pgpass");
  writeFileSync(passwords, `*:*:*:*:${marker}\n`, { mode: 0o600 });
  const names =
    "APPNAME CLIENT_ENCODING DATABASE HOST OPTIONS PASSWORD PORT REPLICATION SSLMODE SSLNEGOTIATION USER";
  const given = Object.fromEntries(names.split(" ").map((each) => [`PG${each}`, marker]));
  const before = { ...process.env };
  Object.assign(process.env, given, { PGPASSFILE: passwords });
  let received: readonly string[] = [];
  const fake = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (start) => {
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])); // a password as plain text, please
      socket.once("data", (answer) => {
        const settings = start.subarray(8).toString().split("\0").slice(0, -2);
        received = [...settings, "password", answer.subarray(5, -1).toString()];
        socket.destroy();
      });
    });
  }).listen(0, "127.0.0.1");
  try {
    await once(fake, "listening");
    const { port } = fake.address() as AddressInfo;
    const attempt = async (login: string, parameters = "") => {
      const dsn = `postgres://${login}127.0.0.1:${port}/?sslmode=disable${parameters}`;
      const failure = await openPostgres({ dsn }, componentContext()).catch((error: unknown) => error);
      assert.instance(failure, GatewayError);
      return received.join(" ");
    };
    const sent = (user: string, password: string) =>
      `user ${user} database ${user} application_name sluice client_encoding UTF8 password ${password}`;
    for (const hasOnlyFile of [false, true]) {
      if (hasOnlyFile) delete process.env.PGPASSWORD;
      assert.is(await attempt(""), sent("postgres", ""));
      assert.is(await attempt(":@"), sent("postgres", ""));
      assert.is(await attempt("shop@"), sent("shop", ""));
      assert.is(await attempt("shop:100%@"), sent("shop", "100%"));
    }
    const written = await attempt("shop:%40@", "&application_name=a&options=-c%20b%3Dc");
    assert.is(
      written,
      "user shop database shop application_name a options -c b=c client_encoding UTF8 password @",
    );
  } finally {
    fake.close();
    for (const each of [...Object.keys(given), "PGPASSFILE"]) delete process.env[each];
    Object.assign(process.env, before);
  }
});

test.run();
