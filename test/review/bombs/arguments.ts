// Arguments from a message that demand far more of a mapping builtin than their size.

import { MappingError } from "../../../runtime/errors.ts";
import { MappingRun } from "../../../runtime/mapping/run.ts";
import { Message } from "../../../runtime/message/message.ts";
import { SourceNumber, type Value } from "../../../runtime/message/value.ts";
import { ownTargets } from "../../builtins/samples.ts";
import { allCalls } from "../growth/mapping-methods.ts";
import type { Bomb } from "./bombs.ts";

const salt = "c29tZXNhbHRzb21lc2FsdA";
const key = "MTIzNDU2Nzg5MDEyMzQ1Ng";

/** Numbers, and texts that contain a number, which could set a count, a size or an amount of work. */
const demands: readonly Value[] = [
  ...[1e6, 30e6, 2 ** 31 - 1, 1e15, -1e6, 1e308, -1e308],
  ...[9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n],
  ...["1e999999999", "9".repeat(400)].map((text) => new SourceNumber(text)),
  ...["%999999d", "%0999999f", "%.999999f", "%[999999]d", `%${"9".repeat(1000)}`],
  ...["a{1000}{1000}", "((((a{30}){30}){30}){30})", "$..*", "999999999", "1e999999999"],
  ...["999999999h", "P999999999999Y", "-05:00", `2006-01-02T15:04:05.${"0".repeat(5000)}`],
  `$argon2id$v=19$m=4194304,t=1,p=1$${salt}$${key}`,
  `$argon2id$v=19$m=262144,t=4294967295,p=1$${salt}$${key}`,
  `$argon2id$v=19$m=8,t=1,p=255$${salt}$${"A".repeat(60_000)}`,
  `$2a$31$${"a".repeat(53)}`,
  [{ Type: "create", Path: ["99999999"], From: null, To: 1 }],
];

/** The targets of the calls, in addition to those that suit the builtin. */
const commonTargets: readonly Value[] = ["abc", 5, [1, 2, 3], { a: 1 }, Uint8Array.of(1, 2, 3)];

const calls = allCalls().filter(({ role }) => role === "argument");

/** One bomb for each argument of each builtin that a message can compute. */
export const argumentBombs: readonly Bomb[] = calls.map(({ builtin, source, compiled }) => ({
  name: `mapping ${source.replace("this.target.", ".")}`,
  prepare() {
    const run = compiled();
    const targets =
      builtin.kind === "method" ? [...(ownTargets[builtin.name] ?? []), ...commonTargets] : [null];
    const message = Message.fromText("{}");
    return () => {
      for (const target of targets) {
        for (const argument of demands) {
          try {
            run?.(new MappingRun([message], 0, message, { value: { target, argument } }));
          } catch (error) {
            if (!(error instanceof MappingError || error instanceof RangeError)) throw error;
          }
        }
      }
    };
  },
}));
