import { EventEmitter } from "node:events";
import type { ClientRequest, ServerResponse } from "node:http";
import { mock } from "node:test";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { watch } from "../../../runtime/proxy/patience.ts";

/** The members of a request and of a response that the code reads. */
class Outgoing extends EventEmitter {
  writableNeedDrain = false;
  failure: Error | undefined;
  destroy(failure: Error): void {
    this.failure = failure;
    this.emit("close");
  }
}

function watched(idle: number | undefined) {
  const outgoing = new Outgoing();
  const response = { writableNeedDrain: false };
  const patience = watch(
    outgoing as unknown as ClientRequest,
    response as ServerResponse,
    { connect: 0, response: 100, idle },
    50,
  );
  return { outgoing, response, patience };
}

test("a slow client does not time the upstream out", () => {
  const { outgoing, response, patience } = watched(undefined);
  mock.timers.tick(500);
  assert.is(outgoing.failure, undefined, "it sends nothing");
  outgoing.emit("finish");
  patience.answered(false);
  response.writableNeedDrain = true;
  mock.timers.tick(500);
  assert.is(outgoing.failure, undefined, "it takes nothing");
  response.writableNeedDrain = false;
  mock.timers.tick(50);
  assert.match(String(outgoing.failure), "Upstream sent nothing for 0.05 s");
});

test("progress resets the idle timeout, and the response timeout starts at the end of the request", () => {
  const { outgoing, patience } = watched(undefined);
  outgoing.writableNeedDrain = true;
  for (let count = 0; count < 10; count += 1) {
    mock.timers.tick(40);
    patience.progress();
  }
  outgoing.emit("finish");
  mock.timers.tick(99);
  assert.is(outgoing.failure, undefined);
  mock.timers.tick(1);
  assert.instance(outgoing.failure, Error);
});

test("a response that may be silent is aborted only if an idle timeout is set", () => {
  for (const [idle, isCut] of [
    [undefined, false],
    [0, false],
    [60, true],
  ] as const) {
    const { outgoing, patience } = watched(idle);
    outgoing.emit("finish");
    patience.answered(true);
    mock.timers.tick(1000);
    assert.is(outgoing.failure !== undefined, isCut, `${idle}`);
  }
});

test.before(() => mock.timers.enable({ apis: ["setTimeout"] }));
test.after(() => mock.timers.reset());
test.run();
