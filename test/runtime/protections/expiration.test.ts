import { test } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { expiration } from "../../../runtime/protections/expiration.ts";
import { startGuarded } from "./guarded.ts";

test("an API is served until it expires, and then reaches no stream", async () => {
  const rows: readonly [string, number][] = [
    ["2999-01-01", 200],
    ["2999-01-01 12:00", 200],
    ["2999-01-01T12:00:00.5+02:00", 200],
    [new Date(Date.now() + 60_000).toISOString().replace("Z", ""), 200],
    [new Date(Date.now() - 60_000).toISOString().replace("Z", ""), 403],
    ["2001-01-01", 403],
    ["2001-01-01T00:00:00Z", 403],
  ];
  for (const [at, status] of rows) {
    const gateway = await startGuarded([expiration({ at })]);
    const response = await fetch(gateway.url, { method: "POST", body: "a" });
    assert.is(response.status, status, at);
    assert.equal(gateway.received, status === 200 ? ["a"] : []);
    if (status === 403) assert.equal(await response.json(), { error: "API has expired" });
    await gateway.close();
  }
});

test("an invalid time keeps the gateway from starting", () => {
  for (const at of ["", "soon", "2030", "2030-13-01", "2030-01-01T25:00"]) {
    assert.throws(
      () => expiration({ at }),
      (error: unknown) => error instanceof EnvironmentError,
      at,
    );
  }
});

test.run();
