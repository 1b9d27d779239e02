import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runBatch } from "../scripts/test/batch.ts";
import { type Outcome, runSuite } from "../scripts/test/outcome.ts";
import { renderClosing } from "../scripts/test/report.ts";
import { type Batch, batchesOf, longSuites, mostAtOnce, nextOf, runAll } from "../scripts/test/schedule.ts";
import type { Service } from "../scripts/test/services.ts";
import { findSuites, type Suite, type SuiteSelection, select } from "../scripts/test/suites.ts";
import { projectRoot, temporaryDirectory } from "./harness/directories.ts";
import { until } from "./harness/wait.ts";

const uvu = `import { test } from ${JSON.stringify(import.meta.resolve("uvu"))};\n`;

/** Creates a suite: a test file with this text. */
function suiteOf(text: string, name = "sample"): Suite {
  const file = join(temporaryDirectory("suite"), `${name}.test.ts`);
  writeFileSync(file, uvu + text);
  return { ...suiteNeeding(file), command: [process.execPath, file] };
}

/** Runs a test file with this text like the test command does. */
async function outcomeOf(text: string): Promise<Outcome> {
  return runSuite(suiteOf(text), {}, new AbortController().signal);
}

/** Runs test files with these texts in one process, as long as they can share it. */
async function outcomesOf(...texts: string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const suites = texts.map((text) => suiteOf(text));
  await runBatch(suites, {}, new AbortController().signal, (outcome) => outcomes.push(outcome));
  assert.equal(
    outcomes.map(({ suite }) => suite),
    suites,
  );
  return outcomes;
}

function counts({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

test("tests are counted as uvu counts them", async () => {
  const outcome = await outcomeOf(`
    test("a", () => {}); test("b", () => { throw new Error("no"); }); test.skip("c", () => {}); test.run();`);
  assert.is(counts(outcome), "1 passed, 1 failed, 1 skipped");
});

test("a file that crashes, or exits before its tests are over, counts as a failed test", async () => {
  assert.is(counts(await outcomeOf(`throw new Error("early");`)), "0 passed, 1 failed, 0 skipped");
  const unsettled = await outcomeOf(`test("a", () => new Promise(() => {})); test.run();`);
  assert.is(counts(unsettled), "0 passed, 1 failed, 0 skipped");
});

test("tests that did not run because a hook failed count as failures, though uvu exits 0", async () => {
  const outcome = await outcomeOf(`
    test.before(() => { throw new Error("no broker"); }); test("a", () => {}); test("b", () => {}); test.run();`);
  assert.is(counts(outcome), "0 passed, 2 failed, 0 skipped");
});

test("a file without tests, or without test.run(), is a failure", async () => {
  assert.is(counts(await outcomeOf(`test("a", () => {});`)), "0 passed, 1 failed, 0 skipped");
  assert.is(counts(await outcomeOf("test.run();")), "0 passed, 1 failed, 0 skipped");
});

test("processes that a test file leaves running are ended", async () => {
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

test("a file whose tests failed is not waited for, even if it leaves handles open", async () => {
  const outcome = await outcomeOf(`
    setInterval(() => {}, 1000);
    test("a", () => { throw new Error("no"); }); test("b", () => {}); test.run();`);
  assert.is(counts(outcome), "1 passed, 1 failed, 0 skipped");
  assert.is(outcome.remark, "it did not end");
  assert.match(outcome.output, /FAIL +"a"/);
});

const passing = `test("a", () => {}); test.run();`;
const tellsProcess = `console.log("process " + process.pid);`;
const processOf = ({ output }: Outcome) => /process (\d+)/.exec(output)?.[1];

test("files of one process are counted separately, and have separate output", async () => {
  const outcomes = await outcomesOf(
    `${tellsProcess} console.log("one"); ${passing}`,
    `${tellsProcess} console.error("two"); test.skip("b", () => {}); ${passing} test("c", () => {}); test.run();`,
    `${tellsProcess} await 1; ${passing}`,
  );
  assert.equal(outcomes.map(counts), [
    "1 passed, 0 failed, 0 skipped",
    "2 passed, 0 failed, 1 skipped",
    "1 passed, 0 failed, 0 skipped",
  ]);
  assert.is(new Set(outcomes.map(processOf)).size, 1);
  assert.equal(
    outcomes.map(({ output }) => [output.includes("one"), output.includes("two"), output.includes("\0")]),
    [
      [true, false, false],
      [false, true, false],
      [false, false, false],
    ],
  );
});

test("each file of a process has the same result as alone, and a failing one ends the process", async () => {
  const texts = [
    `test("a", () => {}); test("b", () => { throw new Error("no"); }); test.run();`,
    `throw new Error("early");`,
    `test("a", () => new Promise(() => {})); test.run();`,
    "await new Promise(() => {});",
    `test.before(() => { throw new Error("no broker"); }); ${passing}`,
    `test("a", () => {});`,
    "test.run();",
    `test("a", () => process.exit(3)); test.run();`,
    `test("a", () => { setTimeout(() => { throw new Error("late"); }, 5); }); test.run();`,
    `setInterval(() => {}, 1000); test("a", () => { throw new Error("no"); }); test.run();`,
  ];
  const alone = await Promise.all(texts.map(outcomeOf));
  const shared = await outcomesOf(...texts.flatMap((text) => [passing, text]), `${tellsProcess} ${passing}`);
  const judgement = (outcome: Outcome) => `${counts(outcome)}: ${outcome.remark}`;
  assert.equal(shared.filter((_, index) => index % 2 === 1).map(judgement), alone.map(judgement));
  assert.equal(
    shared.filter((_, index) => index % 2 === 0).map(judgement),
    [...texts, ""].map(() => "1 passed, 0 failed, 0 skipped: undefined"),
  );
  assert.match(shared[1]?.output ?? "", `before it ran in the same process: ${shared[0]?.suite.name}\n`);
});

test("state that a file leaves behind does not reach the next one", async () => {
  const [, seen, , next] = await outcomesOf(
    `process.env.LEFT = "a"; process.chdir("/"); process.exitCode = 3; ${passing}`,
    `console.log("sees " + process.env.LEFT + " " + (process.cwd() === "/")); ${tellsProcess} ${passing}`,
    `process.on("uncaughtException", () => {}); ${passing}`,
    `${tellsProcess} ${passing}`,
  );
  assert.match(seen?.output ?? "", "sees undefined false");
  assert.ok(seen !== undefined && next !== undefined && processOf(seen) !== processOf(next));
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

test("words select by path and test name, ignoring case", () => {
  const names = (...words: string[]) => select(projectRoot, { words }).map(({ name }) => name);
  assert.equal(names("lint"), ["lint"]);
  assert.equal(names("harness", "SSE client rejects"), ["test/harness/harness.test.ts"]);
  assert.equal(names("no such words anywhere".toUpperCase()), []);
});

test("each suite is either long or not, the long run has the other database, and words find both", () => {
  const names = (selection: SuiteSelection) => select(projectRoot, selection).map(({ name }) => name);
  const isAgain = ({ database }: Suite) => database === "SQLite";
  const onSqlite = select(projectRoot, { long: true })
    .filter(isAgain)
    .map(({ name }) => name);
  const quick = names({});
  const long = names({ long: true }).filter((name) => !onSqlite.includes(name));
  assert.ok(onSqlite.includes("test/management/users.postgres.test.ts"));
  assert.ok(onSqlite.every((name) => quick.includes(name)));
  assert.ok(select(projectRoot, {}).every(({ database }) => database === "PostgreSQL"));
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

test("long-running suites start first, and exist", () => {
  const names = findSuites(projectRoot).map(({ name }) => name);
  assert.equal(
    longSuites.filter((name) => !names.includes(name)),
    [],
  );
  const [first = "", second = ""] = longSuites;
  const suites = [suiteNeeding("a"), suiteNeeding(second), suiteNeeding("b"), suiteNeeding(first)];
  assert.equal(batchesOf(suites).map(namesOf), [[first], [second], ["a", "b"]]);
  // Suites on several brokers would wait for all of these at the end.
  const onAll = suiteNeeding("c", "kafka", "nats", "redis");
  assert.equal(batchesOf([...suites, onAll]).map(namesOf), [["c"], [first], [second], ["a", "b"]]);
});

const namesOf = ({ suites }: Batch) => suites.map(({ name }) => name);

test("files with the same needs share processes, some at a time; checks have processes of their own", () => {
  const pure = Array.from({ length: 20 }, (_, index) => suiteNeeding(`pure ${index}`));
  const lint: Suite = { ...suiteNeeding("lint"), isTestFile: false };
  const batches = batchesOf([lint, suiteNeeding("k1", "kafka"), ...pure, suiteNeeding("k2", "kafka")]);
  assert.equal(
    batches.map(({ suites, needs }) => [suites.length, needs.join()]),
    [
      [1, ""],
      [2, "kafka"],
      [10, ""],
      [10, ""],
    ],
  );
  assert.equal(
    batches.slice(2).flatMap(namesOf),
    pure.map(({ name }) => name),
  );
});

test("six suites with services run at all times, pure ones beside them, and never two on one broker", () => {
  const pure = suiteNeeding("pure");
  const onKafka = suiteNeeding("kafka", "kafka", "nats");
  const onNats = suiteNeeding("nats", "nats");
  const onRedis = suiteNeeding("redis", "redis");
  const onPostgres = suiteNeeding("postgres", "postgres");
  assert.is(nextOf([pure, onKafka], []), onKafka);
  const others = (["redis", "mqtt", "rabbitmq", "memcached", "chromium", "neovim"] as const).map((need) =>
    suiteNeeding(need, need),
  );
  assert.is(nextOf([pure, onNats], others.slice(1)), onNats);
  assert.is(nextOf([onPostgres, pure], others), pure);
  assert.is(nextOf([onPostgres], others), onPostgres);
  assert.is(nextOf([pure, onKafka], [pure, pure]), onKafka);
  assert.is(nextOf([onNats, onRedis], [onKafka]), onRedis);
  assert.is(nextOf([onNats], [onKafka]), undefined);
  assert.is(nextOf([onPostgres], [onPostgres]), onPostgres);
  assert.is(nextOf([onPostgres], [onPostgres, onPostgres]), undefined);
  assert.is(nextOf([], [pure]), undefined);
});

test("every suite runs once, within the limit of concurrent batches; none starts after an interruption", async () => {
  const suites = longSuites.map((name, index) =>
    suiteNeeding(name, ...(index % 3 === 0 ? (["nats"] as const) : [])),
  );
  const ran: string[] = [];
  const running = new Set<Batch>();
  let most = 0;
  const run = async (batch: Batch) => {
    ran.push(...namesOf(batch));
    running.add(batch);
    most = Math.max(most, running.size);
    assert.ok([...running].filter(({ needs }) => needs.includes("nats")).length <= 1);
    await new Promise(setImmediate);
    running.delete(batch);
  };
  await runAll(suites, run, new AbortController().signal);
  assert.equal(ran.toSorted(), suites.map(({ name }) => name).toSorted());
  assert.is(most, mostAtOnce);
  const interruption = new AbortController();
  ran.length = 0;
  const interrupted = async (batch: Batch) => {
    interruption.abort();
    await run(batch);
  };
  await runAll(suites, interrupted, interruption.signal);
  assert.is(ran.length, 1);
});

test("the closing lines name what failed and was skipped, and the last one has the totals", () => {
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
