// Made-up data; the code is in runtime/mapping/fake.ts.

import { type Builtin, fn, parameter } from "./builtin.ts";
import { fakeData } from "./results/shapes.ts";
import { withArguments } from "./results/target.ts";

export const fake: readonly Builtin[] = [
  fn("fake.ts", "fake", "Made-up data of a kind, such as `email` or `first_name`.", {
    pure: false,
    plugin: true,
    result: fakeData,
    fails: withArguments,
    args: [parameter("function", "string", "")],
  }),
];
