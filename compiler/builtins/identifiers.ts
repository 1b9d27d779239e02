// Counters, random numbers and identifiers. They are implemented in runtime/mapping/counters.ts and identifiers.ts.

import { type Builtin, type Details, fn, optional, optionalQuery, parameter } from "./builtin.ts";
import { unlessSeedIsNumber } from "./results/numbers.ts";
import { counted, fakeData, random } from "./results/shapes.ts";
import { unlessConstant, withArguments } from "./results/target.ts";

const module = "identifiers.ts";
const fresh: Details = { pure: false, returns: "string" };
const number: Details = { pure: false, returns: "integer" };

export const identifiers: readonly Builtin[] = [
  fn("counters.ts", "counter", "A counter that increases by one each time this call is evaluated.", {
    ...number,
    args: [optionalQuery("min", "same"), optionalQuery("max", "same"), optionalQuery("set", "same")],
    result: counted,
    // It fails if the minimum is above the maximum.
    fails: withArguments,
    state: { symbol: "createCounter", when: "always" },
  }),
  fn("counters.ts", "random_int", "A random integer between two bounds, both inclusive.", {
    ...number,
    args: [
      optionalQuery("seed", "same"),
      { ...parameter("min", "integer", 0n), literal: true },
      { ...parameter("max", "integer", 9223372036854775806n), literal: true },
    ],
    result: random,
    fails: unlessSeedIsNumber,
    rule: "randomRange",
    state: { symbol: "createRandom", when: "always" },
  }),
  fn(module, "snowflake_id", "A Snowflake id, which is ordered by time and unique for each node.", {
    ...fresh,
    args: [parameter("node_id", "integer", 1n)],
    fails: unlessConstant,
    rule: "snowflake",
  }),
  fn(module, "ksuid", "A KSUID, which is ordered by time in seconds.", { ...fresh, canFail: false }),
  fn(module, "nanoid", "A NanoID: a short random id of a given length and alphabet.", {
    ...fresh,
    args: [optional("length", "integer"), optional("alphabet", "string")],
    fails: withArguments,
    rule: "nanoid",
  }),
  fn(module, "ulid", "A ULID in Crockford's base32 or in hex, which is ordered by time in milliseconds.", {
    ...fresh,
    args: [
      parameter("encoding", "string", "crockford"),
      parameter("random_source", "string", "secure_random"),
    ],
    fails: unlessConstant,
    rule: "ulid",
  }),
  fn(
    module,
    "uuid_v7",
    "A version 7 UUID, which is ordered by time in milliseconds, for the current or a given time.",
    {
      ...fresh,
      args: [optional("time", "timestamp")],
      // A text can be an invalid time.
      fails: withArguments,
    },
  ),
];

export const fake: readonly Builtin[] = [
  fn("fake.ts", "fake", "Fake data of a kind, such as `email` or `first_name`.", {
    pure: false,
    result: fakeData,
    fails: withArguments,
    args: [parameter("function", "string", "")],
  }),
];
