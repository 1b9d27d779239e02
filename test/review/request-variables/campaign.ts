// Random pairs of a component and a spelling of variables: every field with one either evaluates it or is refused.

import fc from "fast-check";
import { coreCatalogue } from "../../../schemas/catalogue.ts";
import type { ComponentRole } from "../../../schemas/component.ts";
import { checkTypes } from "../../emit/type-check.ts";
import { positions, spellings, tryVariables } from "../../emit/variables-in-fields.ts";
import type { Campaign, RoundResult } from "../campaign.ts";

const roles: readonly ComponentRole[] = ["input", "processor", "output", "cache", "rate_limit"];
const components = roles.flatMap((role) =>
  coreCatalogue
    .names(role)
    .filter((name) => coreCatalogue.find(role, name)?.name === name)
    .map((name) => ({ role, name })),
);
const ways = fc.record({
  component: fc.constantFrom(...components),
  spelt: fc.constantFrom(...Object.entries(spellings)),
  where: fc.constantFrom(...Object.entries(positions)),
});

/**
 * Codes of diagnostics that say that a place accepts no variable: its value is needed at build time, is a route or a
 * pattern, has a format that the rest of the text breaks, or is restricted by the component, such as unlisted commands
 * of Redis.
 */
export const refusals: ReadonlySet<string> = new Set([
  "GW2011",
  "GW4026",
  "GW4080",
  "GW4155",
  "GW4164",
  "GW4370",
  "GW4382",
  "GW4383",
  "GW4412",
]);

async function round(seed: number, numRuns: number): Promise<RoundResult> {
  const findings: string[] = [];
  const texts = new Map<string, string>();
  for (const { component, spelt, where } of fc.sample(ways, { seed, numRuns })) {
    const [spelling, { write, read: reads }] = spelt;
    const [place, position] = where;
    const { role, name } = component;
    const outcome = await tryVariables(role, name, { write, read: reads }, position);
    const unexpected = Object.entries(outcome.refused).filter(([, code]) => !refusals.has(code));
    for (const field of [...outcome.lost, ...unexpected.map(([path, code]) => `${path} ${code}`)])
      findings.push(`${spelling} ${place} in the ${role} ${name}: ${field}`);
    const folder = `test/emit/generated/${role}-${name}-${spelling}-${place}`;
    texts.set(`${folder}/gateway.ts`, outcome.gateway).set(`${folder}/types.ts`, outcome.types);
  }
  const { errors } = checkTypes(texts);
  return { attempts: numRuns, findings: [...findings, ...errors] };
}

/** Returns the campaign. A round tries `numRuns` pairs. */
export function requestVariables(numRuns = 40): Campaign {
  return {
    claim: "A variable of a request arrives as a value of its field's type, or the document is refused.",
    prepare: async () => ({ round: (seed) => round(seed, numRuns), close: async () => {} }),
  };
}
