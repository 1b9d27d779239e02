// Made-up data; the code is in runtime/mapping/fake.ts.

import { type Builtin, fn, parameter } from "./builtin.ts";

export const fake: readonly Builtin[] = [
  fn("fake.ts", "fake", "Made-up data of a kind, such as `email` or `first_name`.", {
    pure: false,
    plugin: true,
    args: [parameter("function", "string", "")],
  }),
];
