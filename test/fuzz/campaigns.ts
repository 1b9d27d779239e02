// The campaigns: the source of the texts and the check that each text has to pass.

import fc from "fast-check";
import { arbitraryMapping, arbitraryQuery, arbitraryTemplate } from "./arbitrary-source.ts";
import { type Attempt, attemptDocument, attemptMapping, attemptTemplate } from "./attempts.ts";
import { createRandom, mutate } from "./byte-mutator.ts";
import { documentCorpus, jsonCorpus, mappingCorpus, templateCorpus } from "./corpus.ts";
import { attemptKnownValues } from "./known-values.ts";

/** A text that failed a check. */
export interface Finding {
  readonly text: string;
  readonly problem: string;
}

/** The result of a campaign. */
export interface Tally {
  readonly attempts: Record<Attempt, number>;
  readonly findings: Finding[];
}

/** Tries `count` texts that `seed` determines, and calls `note` with each text before it is tried. */
type Campaign = (seed: number, count: number, note: (text: string) => void) => Promise<Tally>;

/** The number of findings at which a campaign stops. */
const mostFindings = 10;

/** The most changes to whole documents: they are long and strict, and with more changes hardly any parses. */
const fewChanges = 2;

/** The campaigns, with the number of texts that each tries when the tests run. */
export const campaigns = {
  "generated mappings": { count: 800, run: generated(arbitraryMapping, attemptMapping) },
  "generated templates": { count: 400, run: generated(arbitraryTemplate, attemptTemplate) },
  "known values": { count: 1000, run: generated(arbitraryQuery, attemptKnownValues) },
  "mutated mappings": { count: 1500, run: mutated(mappingCorpus, (bytes) => attemptMapping(decode(bytes))) },
  "mutated templates": {
    count: 800,
    run: mutated(templateCorpus, (bytes) => attemptTemplate(decode(bytes))),
  },
  "mutated documents": {
    count: 250,
    run: mutated(documentCorpus, (bytes) => attemptDocument("fuzz.yaml", bytes), fewChanges),
  },
  "mutated JSON": {
    count: 200,
    run: mutated(jsonCorpus, (bytes) => attemptDocument("fuzz.json", bytes), fewChanges),
  },
} as const satisfies Readonly<Record<string, { readonly count: number; readonly run: Campaign }>>;

export type CampaignName = keyof typeof campaigns;

function generated(arbitrary: () => fc.Arbitrary<string>, attempt: (text: string) => Attempt): Campaign {
  return async (seed, count, note) => {
    const tally: Tally = { attempts: { refused: 0, ran: 0 }, findings: [] };
    const property = fc.property(arbitrary(), (text) => {
      note(text);
      tally.attempts[attempt(text)]++;
    });
    const { failed, counterexample, errorInstance } = fc.check(property, { seed, numRuns: count });
    // fast-check shrinks the failing text, so there is one small finding.
    if (failed) tally.findings.push({ text: counterexample?.[0] ?? "", problem: describe(errorInstance) });
    return tally;
  };
}

function mutated(
  corpus: () => readonly string[],
  attempt: (bytes: Uint8Array) => Attempt | Promise<Attempt>,
  most?: number,
): Campaign {
  return async (seed, count, note) => {
    const tally: Tally = { attempts: { refused: 0, ran: 0 }, findings: [] };
    const texts = corpus().map((text) => new TextEncoder().encode(text));
    const random = createRandom(seed);
    for (let left = count; left > 0 && tally.findings.length < mostFindings; left--) {
      const bytes = mutate(texts[random(texts.length)] ?? new Uint8Array(), texts, random, most);
      note(decode(bytes));
      try {
        tally.attempts[await attempt(bytes)]++;
      } catch (error) {
        // Every exception is a finding.
        tally.findings.push({ text: decode(bytes), problem: describe(error) });
      }
    }
    return tally;
  };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
