import { test } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { ipAccess } from "../../../runtime/protections/ip-access.ts";
import { startGuarded } from "./guarded.ts";

test("only allowed addresses have access, blocked ones never", async () => {
  const rows: readonly [Parameters<typeof ipAccess>[0], number][] = [
    [{ enabled: true }, 200],
    [{ enabled: true, allow: ["127.0.0.0/8"] }, 200],
    [{ enabled: true, allow: ["10.0.0.0/8", "127.0.0.1"] }, 200],
    [{ enabled: true, allow: ["10.0.0.0/8"] }, 403],
    [{ enabled: true, block: ["127.0.0.1"] }, 403],
    [{ enabled: true, allow: ["127.0.0.1"], block: ["127.0.0.0/30"] }, 403],
    [{ enabled: false, block: ["127.0.0.1"] }, 200],
    [{ block: ["127.0.0.1"] }, 403],
    [{ allow: [] }, 403],
  ];
  for (const [block, status] of rows) {
    const gateway = await startGuarded([ipAccess(block)]);
    const response = await fetch(gateway.url, { method: "POST", body: "a" });
    assert.is(response.status, status, JSON.stringify(block));
    assert.equal(gateway.received, status === 200 ? ["a"] : []);
    if (status === 403) {
      assert.equal(await response.json(), { error: "Access from this IP has been disallowed" });
    }
    await gateway.close();
  }
});

test("invalid addresses keep the gateway from starting", () => {
  for (const entry of ["", "localhost", "10.0.0.0/33", "::1/129", "10.0.0.0/", "10.0.0.0/a", "10.0.0"]) {
    assert.throws(
      () => ipAccess({ enabled: true, allow: [entry] }),
      (error: unknown) => error instanceof EnvironmentError,
      entry,
    );
  }
});

test.run();
