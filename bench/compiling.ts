// Measures how long compiling takes, and whether the time grows no faster than the text.

import { emitText } from "./compiled.ts";
import { cpuTime, median } from "./measure.ts";

/** A figure: its name, its value, and whether it reaches its goal. */
export interface Figure {
  readonly name: string;
  readonly shown: string;
  readonly reached: boolean;
}

const rounds = 5;

/** Measures a thousand mappings of 20 lines, and the time per line for mappings of up to 10,000 lines. */
export function measureCompiling(): readonly Figure[] {
  const sources = Array.from({ length: 1000 }, (_, index) => mappingOf(20, index));
  const many = secondsOf(() => {
    for (const source of sources) emitText(source);
  });
  const [short, long] = [mappingOf(1000, 0), mappingOf(10_000, 0)];
  emitText(long);
  const small = median(Array.from({ length: rounds }, () => secondsOf(() => emitText(short))));
  const large = median(Array.from({ length: rounds }, () => secondsOf(() => emitText(long))));
  const growth = large / small / 10;
  return [
    { name: "1,000 mappings of 20 lines, cold", shown: `${many.toFixed(2)} s (below 2)`, reached: many < 2 },
    { name: "one mapping of 10,000 lines", shown: `${large.toFixed(2)} s`, reached: true },
    {
      name: "a line among 10,000 against a line among 1,000",
      shown: `${growth.toFixed(2)} times (below 2)`,
      reached: growth < 2,
    },
  ];
}

function secondsOf(work: () => void): number {
  return cpuTime(work) / 1e6;
}

const lines = [
  (line: number) => `root.field_${line} = this.a.b_${line} | "none"`,
  (line: number) => `let amount_${line} = this.price * ${line}`,
  (line: number) => `root.total_${line} = $amount_${line} + 1`,
  (line: number) => `root.name_${line} = this.names.map_each(name -> name.uppercase()).join(",")`,
  (line: number) => `root.kind_${line} = if this.count > ${line} { "many" } else { "few" }`,
];

function mappingOf(length: number, seed: number): string {
  // Each use of a variable follows the line that assigns it.
  return Array.from({ length }, (_, index) => {
    const use = index % 5 === 2 ? index - 1 : index;
    return lines[index % 5]?.(use + seed) ?? "";
  }).join("\n");
}
