import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope, type Scoped } from "../../runtime/component/gateway-scope.ts";

test("a gateway has one value per key, created on first access, and closes the newest first", async () => {
  const closed: string[] = [];
  const keyOf = (name: string): Scoped<{ readonly name: string }> => ({
    create: () => ({ name }),
    close: async (value) => void closed.push(value.name),
  });
  const [one, two, three] = [keyOf("one"), keyOf("two"), keyOf("three")];
  const gateway = new GatewayScope();
  const first = gateway.get(one);
  gateway.get(two);
  assert.is(gateway.get(one), first);
  assert.is.not(new GatewayScope().get(one), first);
  await gateway.close();
  assert.equal(closed, ["two", "one"]);
  gateway.get(three);
  await gateway.close();
  assert.equal(closed, ["two", "one", "three"], "nothing is closed twice");
});

test.run();
