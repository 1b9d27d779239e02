import { test } from "uvu";
import * as assert from "uvu/assert";
import { allBuiltins } from "../../../compiler/builtins/catalogue.ts";
import { nameOf } from "../../builtins/calls.ts";
import { expectNoFindings } from "../campaign.ts";
import { growthCampaign } from "./growth.ts";
import { allCalls, notCalled } from "./mapping-methods.ts";
import { findGrowth } from "./measure.ts";

test("methods, parsers and documents take linear time", async () => {
  await expectNoFindings(growthCampaign({ calls: 1, parsers: 2, uses: 1, expressions: 0 }), [1]);
});

test("every method is called", () => {
  const calls = Map.groupBy(allCalls(), ({ builtin }) => nameOf(builtin));
  const isCalled = (name: string) =>
    calls.get(name)?.some(({ compiled }) => compiled() !== undefined) === true;
  const names = allBuiltins()
    .filter(({ kind }) => kind === "method")
    .map(nameOf);
  const left = names.filter((name) => !isCalled(name) && notCalled[name] === undefined);
  assert.equal(left, []);
});

test("what grows faster is found", async () => {
  const quadratic = {
    name: "blanks at the end",
    prepare: (size: number) => {
      const text = `${" ".repeat(size / 8)}a`;
      return () => text.replace(/\s+$/, "");
    },
  };
  assert.match((await findGrowth(quadratic)) ?? "", /times as long as at half the size/);
  const linear = {
    ...quadratic,
    prepare: (size: number) => () => `${" ".repeat(size * 100)}a`.trim().length,
  };
  assert.is(await findGrowth(linear), undefined);
});

test.run();
