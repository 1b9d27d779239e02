import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Outcome, runSuite } from "../scripts/test/outcome.ts";
import { renderClosing } from "../scripts/test/report.ts";
import { inOrder, longSuites, mostAtOnce, nextOf, runAll } from "../scripts/test/schedule.ts";
import type { Service } from "../scripts/test/services.ts";
import { findSuites, type Suite, type SuiteSelection, select } from "../scripts/test/suites.ts";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { until } from "./harness/wait.ts";

const uvu = `import { test } from ${JSON.stringify(import.meta.resolve("uvu"))};\n`;

/** Runs a test file with this text as the test command does. */
async function outcomeOf(text: string): Promise<Outcome> {
  const file = join(temporaryDirectory("suite"), "sample.test.ts");
  writeFileSync(file, uvu + text);
  const suite: Suite = {
    name: "sample.test.ts",
    command: [process.execPath, file],
    needs: [],
    isTestFile: true,
    isLong: false,
    words: [],
  };
  return runSuite(suite, {}, new AbortController().signal);
}

function counts({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

test("tests are counted as uvu counts them", async () => {
  const outcome = await outcomeOf(`
    test("a", () => {}); test("b", () => { throw new Error("no"); }); test.skip("c", () => {}); test.run();`);
  assert.is(counts(outcome), "1 passed, 1 failed, 1 skipped");
});

test("a file that crashes, or hangs up before its tests are over, is a failed test", async () => {
  assert.is(counts(await outcomeOf(`throw new Error("early");`)), "0 passed, 1 failed, 0 skipped");
  const unsettled = await outcomeOf(`test("a", () => new Promise(() => {})); test.run();`);
  assert.is(counts(unsettled), "0 passed, 1 failed, 0 skipped");
});

test("tests that never ran because a hook failed are failures, though uvu exits 0", async () => {
  const outcome = await outcomeOf(`
    test.before(() => { throw new Error("no broker"); }); test("a", () => {}); test("b", () => {}); test.run();`);
  assert.is(counts(outcome), "0 passed, 2 failed, 0 skipped");
});

test("a file without tests, or without test.run(), is a failure", async () => {
  assert.is(counts(await outcomeOf(`test("a", () => {});`)), "0 passed, 1 failed, 0 skipped");
  assert.is(counts(await outcomeOf("test.run();")), "0 passed, 1 failed, 0 skipped");
});

test("what a test file leaves running is ended", async () => {
  const outcome = await outcomeOf(`
    import { spawn } from "node:child_process";
    const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
    left.unref();
    console.log("left " + left.pid);
    test("a", () => {});
    test.run();`);
  const pid = Number(/left (\d+)/.exec(outcome.output)?.[1]);
  await until(() => !isRunning(pid), { what: `the end of process ${pid}` });
});

test("a file whose tests failed is not waited for, whatever it left open", async () => {
  const outcome = await outcomeOf(`
    setInterval(() => {}, 1000);
    test("a", () => { throw new Error("no"); }); test("b", () => {}); test.run();`);
  assert.is(counts(outcome), "1 passed, 1 failed, 0 skipped");
  assert.is(outcome.remark, "it did not end");
  assert.match(outcome.output, /FAIL +"a"/);
});

test("the file name says which services a suite needs", () => {
  const needs = new Map(findSuites(projectRoot).map((suite) => [suite.name, suite.needs.join()]));
  assert.is(
    needs.get("test/harness/brokers.brokers.test.ts"),
    "kafka,nats,mqtt,rabbitmq,redis,memcached,postgres",
  );
  assert.is(needs.get("test/harness/chromium.chromium.test.ts"), "chromium");
  assert.is(needs.get("test/harness/harness.test.ts"), "");
});

test("words choose by path, test name and case folder", () => {
  const names = (...words: string[]) => select(projectRoot, { words }).map(({ name }) => name);
  assert.equal(names("lint"), ["lint"]);
  assert.equal(names("harness", "SSE client refuses"), ["test/harness/harness.test.ts"]);
  assert.equal(names("no such words anywhere".toUpperCase()), []);
});

test("each suite is one of the long ones or of the others, and words find both", () => {
  const names = (selection: SuiteSelection) => select(projectRoot, selection).map(({ name }) => name);
  const [quick, long] = [names({}), names({ long: true })];
  assert.equal(
    [...quick, ...long].toSorted(),
    findSuites(projectRoot)
      .map(({ name }) => name)
      .toSorted(),
  );
  assert.equal(
    long.filter((name) => !name.includes(".long.")),
    [],
  );
  assert.equal(names({ words: ["killed-service"] }), ["test/e2e/killed-service.long.test.ts"]);
});

function suiteNeeding(name: string, ...needs: Service[]): Suite {
  return { name, command: [], needs, isTestFile: true, isLong: false, words: [] };
}

test("suites that run long begin first, and are there", () => {
  const names = findSuites(projectRoot).map(({ name }) => name);
  assert.equal(
    longSuites.filter((name) => !names.includes(name)),
    [],
  );
  const [first = "", second = ""] = longSuites;
  const order = inOrder([suiteNeeding("a"), suiteNeeding(second), suiteNeeding("b"), suiteNeeding(first)]);
  assert.equal(
    order.map(({ name }) => name),
    [first, second, "a", "b"],
  );
});

test("three suites on brokers run at all times, beside them pure ones, and never two on one broker", () => {
  const pure = suiteNeeding("pure");
  const onKafka = suiteNeeding("kafka", "kafka", "nats");
  const onNats = suiteNeeding("nats", "nats");
  const onRedis = suiteNeeding("redis", "redis");
  const onMqtt = suiteNeeding("mqtt", "mqtt");
  const onPostgres = suiteNeeding("postgres", "postgres");
  assert.is(nextOf([pure, onKafka], []), onKafka);
  assert.is(nextOf([pure, onNats], [onRedis, onMqtt]), onNats);
  assert.is(nextOf([onPostgres, pure], [onRedis, onNats, onMqtt]), pure);
  assert.is(nextOf([onPostgres], [onRedis, onNats, onMqtt]), onPostgres);
  assert.is(nextOf([pure, onKafka], [pure, pure]), onKafka);
  assert.is(nextOf([onNats, onRedis], [onKafka]), onRedis);
  assert.is(nextOf([onNats], [onKafka]), undefined);
  assert.is(nextOf([], [pure]), undefined);
});

test("every suite is run once, and so many at a time; none begins after an interruption", async () => {
  const suites = Array.from({ length: 20 }, (_, index) =>
    suiteNeeding(`suite ${index}`, ...(index % 3 === 0 ? (["nats"] as const) : [])),
  );
  const ran: string[] = [];
  const running = new Set<Suite>();
  let most = 0;
  const run = async (suite: Suite) => {
    ran.push(suite.name);
    running.add(suite);
    most = Math.max(most, running.size);
    assert.ok([...running].filter(({ needs }) => needs.includes("nats")).length <= 1);
    await new Promise(setImmediate);
    running.delete(suite);
  };
  await runAll(suites, run, new AbortController().signal);
  assert.equal(ran.toSorted(), suites.map(({ name }) => name).toSorted());
  assert.is(most, mostAtOnce);
  const interruption = new AbortController();
  ran.length = 0;
  const interrupted = async (suite: Suite) => {
    interruption.abort();
    await run(suite);
  };
  await runAll(suites, interrupted, interruption.signal);
  assert.is(ran.length, 1);
});

test("the closing lines name what failed and was skipped, the last one only counts", () => {
  const suite = (name: string): Suite => ({
    name,
    command: [],
    needs: [],
    isTestFile: true,
    isLong: false,
    words: [],
  });
  const closing = renderClosing([
    { suite: suite("a"), passed: 3, failed: 0, skipped: 0, output: "quiet", seconds: 1 },
    { suite: suite("b"), passed: 1, failed: 2, skipped: 0, output: "loud\n", seconds: 1 },
    {
      suite: suite("c"),
      passed: 0,
      failed: 0,
      skipped: 1,
      output: "",
      remark: "mosquitto is not installed",
      seconds: 0,
    },
  ]);
  assert.is(
    closing,
    "\nFAIL b\nloud\n\nskipped c: mosquitto is not installed\n4 passed, 2 failed, 1 skipped",
  );
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // nobody has that number any more
  }
}

test.run();
