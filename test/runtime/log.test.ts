import { test } from "uvu";
import * as assert from "uvu/assert";
import { createLogger } from "../../runtime/process/log.ts";

function logged(error: unknown): Record<string, unknown> {
  const lines: string[] = [];
  createLogger("info", { write: (line) => lines.push(line) }).warn("it fails", { error });
  return JSON.parse(lines[0] ?? "");
}

test("an error is told with its causes, and without what others hang on it", () => {
  const cause = Object.assign(new TypeError("no route"), { code: "EHOSTUNREACH", password: "secret" });
  const { level, msg, error } = logged(new Error("not sent", { cause }));
  assert.equal([level, msg], ["warn", "it fails"]);
  const { stack, cause: told, ...rest } = error as Record<string, unknown>; // JSON, as the next line proves
  assert.equal(rest, { type: "Error", message: "not sent" });
  assert.match(String(stack), "log.test.ts");
  const { stack: _, ...reason } = told as Record<string, unknown>;
  assert.equal(reason, { type: "TypeError", message: "no route", code: "EHOSTUNREACH" });
});

test("the text of an error is told as text, and of other values only what they are", () => {
  assert.equal(logged("connection refused").error, { message: "connection refused" });
  assert.equal(logged({ token: "secret" }).error, { type: "object" });
});

test.run();
