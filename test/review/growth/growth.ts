// The campaign: runs everything that reads outside text on random texts of growing size.

import type { Campaign } from "../campaign.ts";
import { documentUses, workOfUse } from "./documents.ts";
import { findExpressions } from "./expressions.ts";
import { worksOnFragments } from "./fragments.ts";
import { createRandom, type Random, randomText, texts, values } from "./inputs.ts";
import { allCalls, type Call, mayGrow, workOf } from "./mapping-methods.ts";
import { findGrowth, type Work } from "./measure.ts";
import { looksForAll, worksOf } from "./measured-expressions.ts";
import { concatenation, worksOnArchives, worksOnPacked } from "./packed.ts";
import { ownTexts, parsers, workOfParser } from "./parsers.ts";
import { worksOfReaders } from "./readers.ts";
import { readVerdicts, unexcused } from "./verdicts.ts";

/**
 * The number of inputs that a round tries on each builtin, parser, use of documents and expression; and on each
 * component that packs or unpacks, in addition to archives of many entries and messages of many fragments.
 */
export interface Extent {
  readonly packed: number;
  readonly calls: number;
  readonly parsers: number;
  readonly uses: number;
  readonly expressions: number;
}

const extent: Extent = { calls: 1, parsers: 2, uses: 1, expressions: 1, packed: 1 };

/** The works from which every round takes some. */
interface Works {
  /** The calls of each builtin. */
  readonly calls: readonly (readonly Call[])[];
  readonly expressions: readonly (readonly Work[])[];
}

/** Returns the campaign at its full extent, or at another one. */
export function growthCampaign(each: Extent = extent): Campaign {
  return {
    claim:
      "Twice the text takes at most three times the time: methods, parsers, processors, scanners, expressions, packed and fragmented messages, documents.",
    async prepare() {
      const byBuiltin = Map.groupBy(allCalls(), ({ builtin }) => builtin);
      const works = {
        calls: [...byBuiltin.values()],
        expressions: each.expressions === 0 ? [] : await measured(),
      };
      return {
        async round(seed) {
          const found: string[] = [];
          const chosen = choose(works, each, createRandom(seed));
          for (const work of chosen) {
            const growth = await attempt(work);
            if (growth !== undefined) found.push(growth);
          }
          return { attempts: chosen.length, findings: found };
        },
        close: async () => undefined,
      };
    },
  };
}

/** Any exception is a finding, too: in a gateway it would cause a 500, or end the process. */
async function attempt(work: Work): Promise<string | undefined> {
  try {
    return await findGrowth(work);
  } catch (error) {
    return `${work.name}: throws ${String(error)}`;
  }
}

/** Expressions that the analyser has not proved linear, or that search for all matches. */
async function measured(): Promise<readonly (readonly Work[])[]> {
  const { expressions } = await findExpressions();
  const { undecided } = readVerdicts();
  return expressions
    .filter((expression) => unexcused(expression).length > 0)
    .filter((expression) => looksForAll(expression) || undecided.includes(expression.text))
    .map(worksOf);
}

function choose({ calls, expressions }: Works, each: Extent, random: Random): readonly Work[] {
  const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);
  const text = () => (random.below(3) === 0 ? random.pick(texts) : randomText(random));
  const input = () => (random.below(3) === 0 ? random.pick(values) : text());
  return [
    ...calls.flatMap((ofBuiltin) =>
      times(each.calls, () => [random.pick(ofBuiltin), input()] as const)
        .filter(([call, one]) => !mayGrow(call, one))
        .map(([call, one]) => workOf(call, one)),
    ),
    ...Object.entries(parsers).flatMap(([name, parse]) => [
      ...(ownTexts[name] ?? []).map((own) => workOfParser(name, parse, own)),
      ...times(each.parsers, () => workOfParser(name, parse, text())),
    ]),
    ...(each.packed === 0 ? [] : [...worksOnArchives, concatenation, ...worksOnFragments]),
    ...times(each.packed, () => worksOnPacked(text())).flat(),
    ...(each.parsers === 0 ? [] : worksOfReaders(text())),
    ...documentUses.flatMap((use) => times(each.uses, () => workOfUse(use, text()))),
    ...expressions.flatMap((works) => times(each.expressions, () => random.pick(works))),
  ];
}
