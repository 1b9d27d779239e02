// Metadata that came as parameters, in mappings: `Message.parameters` names those that must not be sent as headers.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingRun } from "../../../runtime/mapping/run.ts";
import { Message } from "../../../runtime/message/message.ts";
import { contentTypeOf, filterMetadata, travellingMetadata } from "../../../runtime/message/metadata.ts";
import { deleted, nothing } from "../../../runtime/message/value.ts";
import { withTrace } from "../../harness/traced.ts";

const message = Message.fromBytes(
  Buffer.from("{}"),
  new Map([
    ["X-Real", "header"],
    ["x-user", "query"],
    ["x-role", "cookie"],
    ["content-type", "text/html"],
  ]),
  undefined,
  new Set(["x-user", "x-role", "content-type"]),
);

/** Returns the metadata of the mapped message that may be sent as headers. */
function leaving(work: (run: MappingRun) => void, batch = [message], origin?: Message): object {
  const run = new MappingRun(batch, 0, origin);
  work(run);
  const made = run.finish(nothing);
  assert.ok(made);
  return Object.fromEntries(filterMetadata(made, () => true));
}

test("parameters are not sent as metadata, and do not set the content type", () => {
  assert.equal(travellingMetadata(message), [["X-Real", "header"]]);
  assert.equal(
    filterMetadata(message, () => true),
    [["X-Real", "header"]],
  );
  assert.is(contentTypeOf(message), "application/octet-stream");
  for (const changed of [
    message.withDocument({ a: 1 }),
    message.withBytes(new Uint8Array()),
    message.withFailure(undefined),
    message.withPlace(3),
    withTrace(message, { traceparent: "" }),
    message.withMetadata(new Map(message.metadata)),
    message.withEntries([["more", 1]]),
  ]) {
    assert.equal([...(changed.parameters ?? [])], ["x-user", "x-role", "content-type"]);
  }
});

test("metadata set by a document or the gateway is sent, even under the name of a parameter", () => {
  const set = leaving((run) => run.setMetadata("x-user", "document"));
  assert.equal(set, { "X-Real": "header", "x-user": "document" });
  const copied = leaving((run) => run.setMetadata("x-role", run.metadataValue("x-role")));
  assert.equal(copied, { "X-Real": "header", "x-role": "cookie" });
  const entered = message.withEntries([["x-user", "gateway"]]);
  assert.equal(Object.fromEntries(travellingMetadata(entered)), { "X-Real": "header", "x-user": "gateway" });
  const removed = leaving((run) => run.setMetadata("x-user", deleted));
  assert.equal(removed, { "X-Real": "header" });
});

test("metadata copied as a whole keeps its origin, from this message and from another", () => {
  const all = leaving((run) => run.setAllMetadata(run.allMetadata()));
  assert.equal(all, { "X-Real": "header" });
  const some = leaving((run) => run.setAllMetadata({ "x-user": "query", "x-role": "admin", "x-new": "n" }));
  assert.equal(some, { "x-role": "admin", "x-new": "n" });
  const released = leaving((run) => {
    run.setMetadata("x-user", "query");
    run.setAllMetadata(run.allMetadata());
  });
  assert.equal(released, { "X-Real": "header", "x-user": "query" });
  const ofBranch = leaving(
    (run) => run.setAllMetadata(Object.fromEntries(run.message()?.metadata ?? [])),
    [message],
    Message.fromText("origin"),
  );
  assert.equal(ofBranch, { "X-Real": "header" });
  assert.equal(
    leaving((run) => run.setAllMetadata(deleted)),
    {},
  );
});

test("a mapping step passes origins on to the next one", () => {
  const run = new MappingRun([message], 0);
  run.setMetadata("added", "document");
  assert.ok(run.advance(nothing));
  run.setMetadata("more", "document");
  const made = run.finish(nothing);
  assert.equal(made && Object.fromEntries(travellingMetadata(made)), {
    "X-Real": "header",
    added: "document",
    more: "document",
  });
});

test.run();
