import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { logMessages } from "../../../runtime/processors/log.ts";
import { sleep } from "../../../runtime/processors/sleep.ts";
import { componentContext, type LogLine, recordingLogger } from "../connectors/contexts.ts";

const test = suite("log and sleep");

const fail = () => {
  throw new MappingError("a text that quotes the message: secret");
};

test("each level of the reference maps to one of the gateway's", async () => {
  const levels = {
    FATAL: "error",
    ERROR: "error",
    WARN: "warn",
    INFO: "info",
    DEBUG: "debug",
    TRACE: "debug",
    ALL: "debug",
  };
  for (const [level, written] of Object.entries(levels)) {
    const lines: LogLine[] = [];
    // The table above has only names of existing levels.
    const processor = logMessages({ level: level as "INFO", message: "x" });
    await processor.process([Message.fromText("a")], { ...componentContext(), log: recordingLogger(lines) });
    assert.equal(lines, [{ level: written, message: "x", fields: {} }]);
  }
});

test("fields are logged below `fields`, so that a message cannot imitate another line", async () => {
  const lines: LogLine[] = [];
  const processor = logMessages({
    message: "m",
    fields: { level: "fixed", named: () => "computed" },
    fields_mapping: (batch, index) => batch[index],
  });
  await processor.process([Message.fromText('{"level":"fatal","msg":"y","deep":{"n":1.5}}')], {
    ...componentContext(),
    log: recordingLogger(lines),
  });
  const fields = { level: "fatal", named: "computed", msg: "y", deep: { n: 1.5 } };
  assert.equal(lines, [{ level: "info", message: "m", fields: { fields } }]);
});

test("a mapping that yields no object, or drops the message, adds no fields", async () => {
  const lines: LogLine[] = [];
  const context = { ...componentContext(), log: recordingLogger(lines) };
  await logMessages({ fields_mapping: () => Message.fromText("[1]") }).process(
    [Message.fromText("a")],
    context,
  );
  await logMessages({ fields_mapping: () => undefined }).process([Message.fromText("a")], context);
  assert.equal(
    lines.map(({ fields }) => fields),
    [{ fields: {} }, {}],
  );
});

test("why a line could not be computed is logged at debug level only", async () => {
  const lines: LogLine[] = [];
  const message = Message.fromText("a");
  const results = await logMessages({ message: fail }).process([message], {
    ...componentContext(),
    log: recordingLogger(lines),
  });
  assert.equal(results, [[message]]);
  const usual = lines.filter(({ level }) => level !== "debug");
  assert.is(usual.length, 1);
  assert.not.match(JSON.stringify(usual), "secret");
  assert.match(JSON.stringify(lines), "secret");
});

test("a sleep ends when the stream stops, and the batch is rejected", async () => {
  const stopping = new AbortController();
  setImmediate(() => stopping.abort());
  try {
    // Longer than the maximum of the platform's timers.
    const batch = [Message.fromText("a")];
    await sleep({ duration: "1000h" }).process(batch, { ...componentContext(), signal: stopping.signal });
    assert.unreachable();
  } catch (error) {
    assert.is(error instanceof GatewayError && error.status, 503);
  }
});

test("a sleep of zero or less continues at once", async () => {
  const batch = [Message.fromText("a")];
  for (const duration of ["0", "0s", "-1h"]) {
    assert.equal(await sleep({ duration }).process(batch, componentContext()), [batch]);
  }
});

test.run();
