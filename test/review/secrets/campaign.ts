// Checks that no diagnostic shows a secret, whatever is wrong with the document that contains it.

import fc from "fast-check";
import { checkDocuments } from "../../../compiler/compile.ts";
import type { Diagnostic } from "../../../compiler/diagnostics/diagnostic.ts";
import { renderGithub } from "../../../compiler/diagnostics/render/github.ts";
import { renderJson } from "../../../compiler/diagnostics/render/json.ts";
import { renderPretty } from "../../../compiler/diagnostics/render/pretty.ts";
import { renderSarif } from "../../../compiler/diagnostics/render/sarif.ts";
import { createMemoryFileSystem } from "../../../compiler/parse/document/file-system.ts";
import { kinds } from "../../mutations/kinds.ts";
import type { Campaign, RoundResult } from "../campaign.ts";
import { type MarkedSet, markedSets, marker, styles } from "./documents.ts";

/** Random documents with one or two mistakes, in every rendering. */
export const secrets: Campaign = {
  claim: "no rendering of a diagnostic shows a secret",
  prepare: async () => ({ round: (seed) => round(seed, 150), close: async () => {} }),
};

/** Tries `attempts` documents. */
async function round(seed: number, attempts: number): Promise<RoundResult> {
  const sets = markedSets();
  const findings: string[] = [];
  const broken = fc.record({
    set: fc.constantFrom(...sets),
    style: fc.constantFrom(...Object.keys(styles)),
    mistakes: fc.array(fc.record({ how: fc.nat(), where: fc.nat() }), { minLength: 1, maxLength: 2 }),
  });
  for (const { set, style, mistakes } of fc.sample(broken, { seed, numRuns: attempts })) {
    const files = print(set, style);
    let text = files[set.marked];
    const original = new Set(text.split("\n"));
    for (const { how, where } of mistakes) text = withMistake(text, set.marked, how, where, original);
    const shown = await showAll({ ...files, [set.marked]: text });
    const at = shown.indexOf(marker);
    if (at !== -1) findings.push(`${set.name}, ${style}, ${JSON.stringify(mistakes)}: ${around(shown, at)}`);
  }
  return { attempts, findings };
}

/** Returns the files of a set as texts. */
export function print(set: MarkedSet, style: string): Record<MarkedSet["marked"], string> {
  const write = styles[style] ?? JSON.stringify;
  return { "api.yaml": write(set.files["api.yaml"]), "gateway.yaml": write(set.files["gateway.yaml"]) };
}

/** Returns the diagnostics of a set in every rendering. */
export async function showAll(files: Readonly<Record<string, string>>): Promise<string> {
  const { diagnostics } = await checkDocuments(["gateway.yaml"], {
    fileSystem: createMemoryFileSystem(files),
  });
  return renderAll(diagnostics);
}

function renderAll(diagnostics: readonly Diagnostic[]): string {
  const pretty = renderPretty(diagnostics, { color: false });
  return [pretty, renderJson(diagnostics), renderSarif(diagnostics), renderGithub(diagnostics)].join("\n");
}

/**
 * Returns the text with a mistake of kind `how` at the place `where`, both modulo the number of choices. If `original`
 * is given, only names in its lines are misspelt: a name that was misspelt twice could be any name.
 */
export function withMistake(
  text: string,
  file: string,
  how: number,
  where: number,
  original?: ReadonlySet<string>,
): string {
  const choice = how % (slips.length + 6);
  const slip = slips[choice];
  if (slip !== undefined) return withSlip(text, slip, where, original);
  const kind = kinds[Math.floor(how / 7) % kinds.length];
  const places = [
    ...(kind?.mutations({ name: file, files: new Map([[file, text]]), entry: file }) ?? []),
  ].filter((place) => place.file === file);
  const place = places[where % Math.max(1, places.length)];
  return place === undefined ? text : text.slice(0, place.start) + place.text + text.slice(place.end);
}

/** A change of one line. */
type Slip = (line: string) => string;

/** Changes that misspell names. */
const renames: readonly Slip[] = [
  (line) => line.replace(/(\w+)(["']?):/, "$1x$2:"),
  (line) => line.replace(/(\w)(\w)(["']?):/, "$2$1$3:"),
  (line) => line.replace(/\w(\w["']?):/, "$1:"),
];

/** Changes after which a secret can still be recognised: by its field's name, or by the address around it. */
const slips: readonly Slip[] = [
  (line) => line.replace(/: /, ":: "),
  (line) => line.replace(/: /, " "),
  (line) => line.replace(/: /, ":"),
  (line) => line.replace(/: /, " = "),
  (line) => line.replace(/[}\]]/, ""),
  (line) => line.replace(/[{[]/, ""),
  (line) => line.replace(/["']/, ""),
  (line) => line.replace(/["'](?=[^"']*$)/, ""),
  (line) => ` ${line}`,
  (line) => `\t${line}`,
  (line) => line.slice(1),
  (line) => line.trimStart(),
  (line) => `${line} }`,
  (line) => `${line}"`,
  (line) => `${line}\n${line}`,
  ...renames,
  (line) => line.replace(/: ("?)/, ": $1${"),
  (line) => line.replace(/: ("?)/, ": $1${! "),
  (line) => line.replace(/: .*$/, ": 7"),
  (line) => line.replace(/: (.*)$/, ": [$1]"),
  (line) => line.replace(/: (.*)$/, ": { a: $1 }"),
  (line) => line.replace(/: (.*)$/, ": |\n$1"),
  // A line with a bracket is kept, because the bracket belongs to other lines as well.
  (line) => (/[{[]/.test(line) ? line : ""),
];

/** A longer line has several fields: a flow document, or the rest of one after a mistake inserted a line break. */
const longestField = 200;

/** Applies a slip to any line or, in half of the cases, to a line with a secret. */
function withSlip(text: string, slip: Slip, where: number, original?: ReadonlySet<string>): string {
  const lines = text.split("\n");
  const all = lines.map((_, index) => index);
  const marked = all.filter((index) => lines[index]?.includes(marker));
  const places = where % 2 === 0 ? all : marked;
  const at = places[(where >> 1) % places.length] ?? 0;
  // A flow document is one line: the change applies to the field that contains a secret.
  const line = lines[at] ?? "";
  if (renames.includes(slip) && original?.has(line) === false) return text;
  const isFlow = line.length > longestField;
  const from = isFlow ? line.lastIndexOf(",", line.indexOf(marker, where % line.length)) + 1 : 0;
  const end = isFlow ? Math.max(from, line.indexOf(",", from)) : line.length;
  lines[at] = line.slice(0, from) + slip(line.slice(from, end)) + line.slice(end);
  return lines.join("\n");
}

function around(text: string, at: number): string {
  return text.slice(Math.max(0, at - 200), at + 60);
}
