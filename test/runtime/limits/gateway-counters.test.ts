import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope } from "../../../runtime/component/gateway-scope.ts";
import { gatewayCounters } from "../../../runtime/limits/gateway-counters.ts";
import { createEnvironment } from "../../../runtime/process/environment.ts";
import { type LogLine, recordingLogger } from "../connectors/contexts.ts";

test("exhausted room for counters is logged once", async () => {
  const lines: LogLine[] = [];
  const { signal } = new AbortController();
  const counters = await gatewayCounters(
    createEnvironment({}, () => ""),
    { max_counters: 2 },
  ).open({
    log: recordingLogger(lines),
    gateway: new GatewayScope(),
    signal,
  });
  const take = (key: string) => counters.take([{ kind: "rate", key, rate: 10, per: 3_600_000_000 }]);
  for (const key of ["a", "b"]) await take(key);
  assert.equal(lines, []);
  for (const key of ["c", "d", "e"]) await take(key);
  assert.equal(
    lines.map(({ message }) => message),
    ["limit counters exceed their maximum, some are reset"],
  );
});

test.run();
