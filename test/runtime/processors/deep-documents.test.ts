// A message that is nested deeper than the stack of the engine allows fails alone and is not retried.

import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Processor } from "../../../runtime/component/component.ts";
import { Message } from "../../../runtime/message/message.ts";
import { msgpackFromJson } from "../../../runtime/processors/formats/msgpack.ts";
import { jmespath } from "../../../runtime/processors/jmespath/jmespath.ts";
import { jq } from "../../../runtime/processors/jq/jq.ts";
import { judgeJson } from "../../../runtime/processors/json-schema.ts";
import { componentContext } from "../connectors/contexts.ts";

const processors: Readonly<Record<string, Processor>> = {
  jq: jq({ query: ". | tojson" }),
  jmespath: jmespath({ query: "to_string(@)" }),
  json_schema: judgeJson({ schema: '{"items":{"$ref":"#"},"properties":{"a":{"$ref":"#"}}}' }),
  msgpack: msgpackFromJson({ operator: "from_json" }),
};

const shapes: readonly (readonly [open: string, middle: string, close: string])[] = [
  ["[", "", "]"],
  ['{"a":', "1", "}"],
  ['[{"a":', "null", "}]"],
];

test("a processor passes a deep document on, or fails it with 422", async () => {
  for (const [name, processor] of Object.entries(processors)) {
    for (const depth of [100, 2000, 4500, 20_000, 100_000]) {
      for (const [open, middle, close] of shapes) {
        const message = Message.fromText(open.repeat(depth) + middle + close.repeat(depth));
        const results = await processor.process([message], componentContext());
        const [result] = results.flat();
        const { failure } = result ?? {};
        const place = `${name}, ${depth} times ${open}`;
        if (failure === undefined) continue;
        assert.is(failure.status, 422, `${place}: ${failure.message}`);
        assert.is(failure.retryable, false, place);
      }
    }
  }
});

test.run();
