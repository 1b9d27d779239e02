import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreCatalogue } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import { refusals } from "../review/request-variables/campaign.ts";
import { positions, spellings, tryVariables } from "./variables-in-fields.ts";

// Every field of every component, with the spellings in turn; `npm run review -- request-variables` tries each with each.
const roles: readonly ComponentRole[] = ["input", "processor", "output", "cache", "rate_limit"];
const components = roles.flatMap((role) =>
  coreCatalogue
    .names(role)
    .filter((name) => coreCatalogue.find(role, name)?.name === name)
    .map((name) => ({ role, name })),
);
const ways = Object.entries(spellings).flatMap(([spelt, spelling]) =>
  Object.entries(positions).map(([where, position]) => ({ spelt, spelling, where, position })),
);

for (const [at, { role, name }] of components.entries()) {
  for (const { spelt, spelling, where, position } of ways.filter((_, way) => way === at % ways.length)) {
    test(`${spelt} is emitted for every field of the ${role} ${name} or rejected there, ${where}`, async () => {
      const { refused, lost, gateway } = await tryVariables(role, name, spelling, position);
      assert.equal(lost, [], gateway);
      const unexpected = Object.entries(refused).filter(([, code]) => !refusals.has(code));
      assert.equal(unexpected, []);
    });
  }
}

test.run();
