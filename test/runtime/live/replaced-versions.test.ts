import { test } from "uvu";
import * as assert from "uvu/assert";
import type { StreamParts } from "../../../runtime/component/component.ts";
import { generateInput } from "../../../runtime/connectors/generate/generate.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { Message } from "../../../runtime/message/message.ts";
import { collectGarbage } from "../../harness/heap.ts";
import { until } from "../../harness/wait.ts";
import { memoryOutput } from "../gateway/components.ts";
import { type DeployedStream, deployed, liveGateway, mark } from "./deployment.ts";

const versions = 20;

/** Deploys versions of a stream one after the other, and waits until nothing refers to most of the parts that were replaced. */
async function deployAll(part: (parts: StreamParts) => object, version: (number: number) => DeployedStream) {
  const parts: WeakRef<object>[] = [];
  const observed = (number: number): DeployedStream => {
    const { make, digests = {} } = version(number);
    const observing: DeployedStream["make"] = (environment) => {
      if (typeof make !== "function") throw new Error("the stream has instances");
      const made = make(environment);
      parts.push(new WeakRef(part(made)));
      return made;
    };
    return { make: observing, digests };
  };
  const { gateway, live } = await liveGateway([deployed({ s: observed(0) })]);
  for (let number = 1; number <= versions; number += 1) {
    assert.equal(await live.apply([deployed({ s: observed(number) })]), [
      { api: "orders", outcome: "applied" },
    ]);
  }
  const kept = () => {
    collectGarbage();
    return parts.filter((each) => each.deref() !== undefined).length;
  };
  // The first one may be used by parts that did not change, the last one runs, and the one before may be ending.
  await until(() => kept() <= 4, { what: "the release of the parts that were replaced" });
  await gateway.close();
}

test("nothing keeps pipelines that were replaced", async () => {
  const input = httpServerInput({ path: "/in" });
  await deployAll(
    ({ output }) => output,
    (number) => ({
      make: () => ({ input, output: memoryOutput(), pipeline: [mark(number)] }),
      digests: { pipeline: `${number}`, output: `${number}` },
    }),
  );
});

test("nothing keeps inputs with routes that were replaced", async () => {
  const output = memoryOutput();
  await deployAll(
    ({ input }) => input,
    (number) => ({
      make: () => ({ input: httpServerInput({ path: "/in" }), output }),
      digests: { input: `${number}` },
    }),
  );
});

test("nothing keeps inputs that read and were replaced", async () => {
  const output = memoryOutput();
  await deployAll(
    ({ input }) => input,
    (number) => ({
      make: () => ({
        input: generateInput({ mapping: () => Message.fromText("a"), interval: "1h" }),
        output,
      }),
      digests: { input: `${number}` },
    }),
  );
});

test("nothing keeps versions of which all parts were replaced", async () => {
  await deployAll(
    ({ output }) => output,
    (number) => ({
      make: () => ({
        input: httpServerInput({ path: "/in" }),
        output: memoryOutput(),
        pipeline: [mark(number)],
      }),
      digests: { input: `${number}`, pipeline: `${number}`, output: `${number}` },
    }),
  );
});

test.run();
