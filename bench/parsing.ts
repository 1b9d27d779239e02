// Measures how long parsing takes per kilobyte, with the texts of tests and examples.

import { createSink } from "../compiler/diagnostics/sink.ts";
import { parseDocument } from "../compiler/parse/document/parse-document.ts";
import { parseMapping, parseTemplate } from "../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../compiler/source/source.ts";
import { documentCorpus, mappingCorpus, templateCorpus } from "../test/fuzz/corpus.ts";
import type { Figure } from "./compiling.ts";
import { cpuTime, median } from "./measure.ts";

/** Maximum milliseconds of CPU time per kilobyte. */
const goal = 1;
const rounds = 5;
/**
 * CPU time has a resolution of microseconds, and a text takes only a few: each is parsed repeatedly until this many
 * bytes were read.
 */
const bytesPerRound = 20_000;

/** Returns the median per language: half of the texts take no longer per kilobyte. */
export function measureParsing(): readonly Figure[] {
  return [
    figure("parsing mappings, per KB", mappingCorpus(), (text) =>
      parseMapping(createSourceFile("m.blobl", text), createSink().report),
    ),
    figure("parsing interpolations, per KB", templateCorpus(), (text) =>
      parseTemplate(createSourceFile("t.txt", text), createSink().report),
    ),
    figure("parsing documents, per KB", documentCorpus(), (text) =>
      parseDocument(createSourceFile("api.yaml", text), createSink().report),
    ),
  ];
}

function figure(name: string, texts: readonly string[], parse: (text: string) => unknown): Figure {
  for (const text of texts) parse(text);
  const middle = median(texts.map((text) => timeOf(text, parse)));
  const shown = `${middle.toFixed(3)} ms (below ${goal}), median of ${texts.length} texts`;
  return { name, shown, reached: middle < goal };
}

/** Returns the median milliseconds per kilobyte of one text. */
function timeOf(text: string, parse: (text: string) => unknown): number {
  const bytes = Math.max(1, Buffer.byteLength(text));
  const repeats = Math.ceil(bytesPerRound / bytes);
  const spent = Array.from({ length: rounds }, () =>
    cpuTime(() => {
      for (let repeat = 0; repeat < repeats; repeat++) parse(text);
    }),
  );
  return median(spent) / repeats / bytes;
}
