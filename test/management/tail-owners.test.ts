// An organisation that watches streams leaves capacity for other organisations.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { Tails } from "../../management/streams/tails.ts";

test("each organisation has its own limit of tailed streams, and streams are taken round-robin", () => {
  const tails = new Tails([]);
  for (let index = 0; index < 16; index += 1) tails.begin("red", "a", `s${index}`);
  assert.throws(() => tails.begin("red", "a", "more"), /Too many/);
  tails.begin("red", "a", "s0");
  tails.begin("blue", "b", "s0");
  tails.begin("blue", "b", "s1");
  const order = tails.wanted()?.streams.map(({ api, stream }) => `${api} ${stream}`);
  assert.equal(order?.slice(0, 4), ["a s0", "b s0", "a s1", "b s1"]);
  assert.is(order?.length, 18);
  tails.close();
});

test.run();
