import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { kafkaAddress, kafkaTopic } from "../../../runtime/generated/formats.ts";
import { readBytes } from "../../../runtime/mapping/files.ts";
import { createEnvironment, EnvironmentError } from "../../../runtime/process/environment.ts";
import { between, itemsOf, oneOf } from "../../../runtime/process/environment-limits.ts";
import { readMachineText } from "../../../runtime/process/machine-files.ts";
import { parseDuration } from "../../../runtime/text/duration.ts";
import { temporaryDirectory } from "../../harness/directories.ts";

const readNothing = (path: string): string => {
  throw Object.assign(new Error(`no such file ${path}`), { code: "ENOENT" });
};

test("values have the type of the field they fill", () => {
  const variables = { NAME: "x", COUNT: "12", RATIO: "0.5", ON: "TRUE", WAIT: "1m30s", LIST: "a, b,,c" };
  const environment = createEnvironment(variables, () => "secret\n");
  const read = environment.collect(() => [
    environment.text("NAME"),
    environment.integer("COUNT"),
    environment.number("RATIO"),
    environment.boolean("ON"),
    environment.duration("WAIT"),
    environment.list("LIST"),
    environment.file("/run/secret"),
  ]);
  assert.equal(read, ["x", 12, 0.5, true, 90_000, ["a", "b", "c"], "secret"]);
});

test("mounted secrets and files of mappings cannot read the environment variables of the process", () => {
  // On a system without these files, they are missing.
  const folder = temporaryDirectory("environment");
  const link = join(folder, "link");
  symlinkSync("/proc/self/environ", link);
  const own = join(folder, "own");
  writeFileSync(own, "secret\n");
  for (const path of [
    "/proc/self/environ",
    `/proc/${process.pid}/environ`,
    "/dev/../proc/thread-self/environ",
    link,
  ]) {
    const environment = createEnvironment({}, readMachineText);
    const failure = catchError(() => environment.collect(() => environment.file(path)));
    assert.match(String(failure), /cannot be read \((?:EACCES|ENOENT)\)/);
    assert.throws(() => readBytes(path), /permission denied|no such file/);
  }
  assert.is(createEnvironment({}, readMachineText).file(own), "secret");
});

test("problems name the place that reads a variable, and all that it accepts", () => {
  const environment = createEnvironment({ LIMIT: "0", RATIO: "x", HOST: "a b" }, readNothing);
  const failure = catchError(() =>
    environment.collect(() => {
      environment.locate({
        LIMIT: "orders.yaml:6",
        TOPIC: "orders.yaml:3, rides.yaml:4",
        HOST: "orders.yaml:9",
      });
      const port = environment.text("PORT", "80");
      return [
        environment.integer("LIMIT", 5, between(1)),
        environment.number("RATIO", 1, between(0, 1)),
        environment.text("TOPIC"),
        environment.together(`${environment.text("HOST")}:${port}`, kafkaAddress, "HOST", "PORT"),
      ];
    }),
  );
  assert.equal(failure instanceof EnvironmentError && failure.problems, [
    "LIMIT (orders.yaml:6) is not an integer of at least 1",
    "RATIO is not a number between 0 and 1",
    "TOPIC (orders.yaml:3, rides.yaml:4) is not set",
    "HOST (orders.yaml:9) and PORT together are not the address of a Kafka broker",
  ]);
});

test("durations out of the range of timers are invalid", () => {
  const environment = createEnvironment({ BACK: "-5s", LONG: "600h" }, readNothing);
  const failure = catchError(() =>
    environment.collect(() => [environment.duration("BACK"), environment.duration("LONG")]),
  );
  assert.equal(failure instanceof EnvironmentError && failure.problems, [
    "BACK is not a duration such as 5s",
    "LONG is not a duration such as 5s",
  ]);
});

test("values must be within the limit of their field, and all violations are reported together", () => {
  const variables = {
    VERB: "FETCH",
    QOS: "3",
    LEVEL: "11",
    TOPIC: "new orders",
    BROKERS: "one:9092, two",
    GOOD: "POST",
    EMPTY: "",
  };
  const environment = createEnvironment(variables, readNothing);
  const failure = catchError(() =>
    environment.collect(() => [
      environment.text("VERB", "GET", oneOf("GET", "POST")),
      environment.integer("QOS", undefined, between(0, 2)),
      environment.integer("LEVEL", 4, oneOf(4, 5)),
      environment.text("TOPIC", undefined, kafkaTopic),
      environment.list("BROKERS", ["one:9092"], kafkaAddress),
      environment.text("GOOD", "GET", oneOf("GET", "POST")),
      environment.text("EMPTY", undefined, kafkaTopic),
      environment.number("QOS", undefined, between(undefined, 2)),
      environment.number("QOS", undefined, between(4)),
    ]),
  );
  assert.equal(failure instanceof EnvironmentError && failure.problems, [
    "VERB is not one of GET, POST",
    "QOS is not an integer between 0 and 2",
    "LEVEL is not one of 4, 5",
    "TOPIC is not a Kafka topic",
    "BROKERS is not made of items each of which is the address of a Kafka broker",
    "QOS is not a number of at most 2",
    "QOS is not a number of at least 4",
  ]);
});

test("a combined value must be within the limit as a whole", () => {
  const variables = { HOST: "broker", PORT: "http", PREFIX: "new ", LIST: "a:1,b" };
  const environment = createEnvironment(variables, (path) =>
    path === "/topic" ? "two words\n" : readNothing(path),
  );
  const failure = catchError(() =>
    environment.collect(() => [
      environment.together(
        `${environment.text("HOST")}:${environment.text("PORT")}`,
        kafkaAddress,
        "HOST",
        "PORT",
      ),
      environment.together(`${environment.text("PREFIX")}orders`, kafkaTopic, "PREFIX"),
      environment.together(environment.file("/topic"), kafkaTopic, "/topic"),
      environment.together(`x:1,${environment.text("LIST")}`, itemsOf(kafkaAddress), "LIST"),
      environment.together(
        `${environment.text("GONE")} ${environment.text("HOST")}`,
        kafkaTopic,
        "GONE",
        "HOST",
      ),
    ]),
  );
  assert.equal(failure instanceof EnvironmentError && failure.problems, [
    "HOST and PORT together are not the address of a Kafka broker",
    "PREFIX is not a Kafka topic",
    "/topic is not a Kafka topic",
    "LIST is not made of items each of which is the address of a Kafka broker",
    "GONE is not set",
  ]);
  const fine = () => environment.together(`${environment.text("HOST")}:9092`, kafkaAddress, "HOST");
  assert.is(environment.collect(fine), "broker:9092");
});

test("defaults and values within the limit are returned unchanged", () => {
  const environment = createEnvironment({ TOPIC: "orders", BROKERS: "a:1,b:2", QOS: "2" }, readNothing);
  const read = environment.collect(() => [
    environment.text("VERB", "GET", oneOf("GET", "POST")),
    environment.text("TOPIC", undefined, kafkaTopic),
    environment.list("BROKERS", undefined, kafkaAddress),
    environment.integer("QOS", 1, between(0, 2)),
  ]);
  assert.equal(read, ["GET", "orders", ["a:1", "b:2"], 2]);
});

test("all missing or unreadable variables are reported together, without their values", () => {
  const environment = createEnvironment({ COUNT: "hunter2" }, readNothing);
  const failure = catchError(() =>
    environment.collect(() => {
      environment.text("A");
      environment.integer("COUNT");
      environment.file("/run/secret");
      return new URL(environment.text("B"));
    }),
  );
  assert.instance(failure, EnvironmentError);
  assert.equal((failure as EnvironmentError).problems, [
    "A is not set",
    "COUNT is not an integer",
    "/run/secret cannot be read (ENOENT)",
    "B is not set",
  ]);
});

test("a fallback replaces a missing or empty variable, never an invalid one", () => {
  const environment = createEnvironment({ EMPTY: "", WRONG: "x" }, readNothing);
  assert.is(
    environment.collect(() => environment.integer("EMPTY", 3) + environment.integer("NONE", 4)),
    7,
  );
  assert.throws(() => environment.collect(() => environment.integer("WRONG", 5)), /WRONG is not an integer/);
});

test("names of inherited properties are not variables", () => {
  const environment = createEnvironment({}, readNothing);
  assert.is(
    environment.collect(() => environment.text("constructor", "none")),
    "none",
  );
});

test("an error that the environment did not cause is rethrown", () => {
  const environment = createEnvironment({}, readNothing);
  assert.throws(
    () =>
      environment.collect(() => {
        throw new TypeError("other");
      }),
    /other/,
  );
});

test("durations have the syntax of Go", () => {
  const texts = ["0", "5s", "1h2m3.5s", "250ms", "1.5h", ".5s", "-2s", "1µs", "5", "", "s", "1 s", "5sx"];
  const milliseconds = texts.map(parseDuration);
  const none = undefined;
  assert.equal(milliseconds, [
    0,
    5000,
    3_723_500,
    250,
    5_400_000,
    500,
    -2000,
    0.001,
    none,
    none,
    none,
    none,
    none,
  ]);
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

test.run();
