// jq functions on regular expressions, with RE2: their time grows linearly with the text, whatever a message contains.

import type { Matcher } from "re2js";
import { compiledRegexp, groupNames } from "../../mapping/regexp.ts";
import { type BuiltinCall, type Builtins, collected, eachInOrder, type JqCall, plain } from "./builtin.ts";
import { computed } from "./filter.ts";
import { joined } from "./operators.ts";
import { spend } from "./run.ts";
import { described, failure, fieldOf, isList, isRecord, type JqValue, preview, recordOf } from "./values.ts";

/** Functions by `name/arguments`. */
export const patternBuiltins: Builtins = {
  ...bothForms("test", ({ input }, [pattern = null, flags = null], emit) =>
    emit(compiled("test", input, pattern, flags).matcher.find()),
  ),
  ...bothForms("match", ({ input }, [pattern = null, flags = null], emit) => {
    for (const match of matches("match", input, pattern, flags)) emit(match.record);
  }),
  ...bothForms("capture", ({ input }, [pattern = null, flags = null], emit) => {
    for (const { record } of matches("match", input, pattern, flags)) emit(captured(record));
  }),
  ...bothForms("scan", ({ input }, [pattern = null, flags = null], emit) => {
    for (const { groups, text } of matches("match", input, pattern, withGlobal(flags)))
      emit(groups.length === 0 ? text : groups);
  }),
  ...bothForms("splits", ({ input }, [pattern = null, flags = null], emit) => {
    for (const piece of split(input, pattern, flags)) emit(piece);
  }),
  "split/2": plain((input, [pattern = null, flags = null]) => split(input, pattern, flags)),
  ...substitution("sub", false),
  ...substitution("gsub", true),
};

type Work = (call: JqCall, values: readonly JqValue[], emit: (value: JqValue) => void) => void;

/** Defines a function of a pattern, with and without flags. */
function bothForms(name: string, work: Work): Builtins {
  const call: BuiltinCall = (each) =>
    eachInOrder(each.args, each.input, (values) =>
      work(each, values, (value) => {
        each.run.step();
        each.emit(value, computed(each.path));
      }),
    );
  return { [`${name}/1`]: call, [`${name}/2`]: call };
}

function withGlobal(flags: JqValue): JqValue {
  return flags === null ? "g" : typeof flags === "string" ? `${flags}g` : flags;
}

interface Match {
  readonly record: JqValue;
  readonly text: string;
  readonly groups: readonly JqValue[];
  /** The index in a JavaScript string. */
  readonly start: number;
  readonly end: number;
}

function compiled(name: string, input: JqValue, pattern: JqValue, flags: JqValue) {
  if (
    typeof input !== "string" ||
    typeof pattern !== "string" ||
    (flags !== null && typeof flags !== "string")
  )
    throw failure(
      `${name}(${preview(pattern)}; ${preview(flags)}) cannot be applied to: ${described(input)}`,
    );
  const letters = flags ?? "";
  if (/[^gim]/.test(letters))
    throw failure(`unsupported regular expression flag: ${JSON.stringify(letters)}`);
  const prefix = `${letters.includes("m") ? "(?s)" : ""}${letters.includes("i") ? "(?i)" : ""}`;
  const source = prefix + pattern.replaceAll("(?<", "(?P<");
  const expression = compiledRegexp(source, (reason) => {
    throw failure(`invalid regular expression ${JSON.stringify(source)}: ${reason}`);
  });
  const names = groupNames(expression);
  spend(1 + (input.length >> 2) + (pattern.length >> 2));
  return { text: input, matcher: expression.matcher(input), names, isGlobal: letters.includes("g") };
}

function matches(name: string, input: JqValue, pattern: JqValue, flags: JqValue): readonly Match[] {
  const { text, matcher, names, isGlobal } = compiled(name, input, pattern, flags);
  const found: Match[] = [];
  const offsetOf = createCounter(text);
  let last = -1;
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    // As elsewhere, an empty match directly after another match does not count.
    if (start === end && start === last) continue;
    last = end;
    spend(8 + matcher.groupCount());
    found.push(matchOf(text, matcher, names, offsetOf));
    if (!isGlobal) break;
  }
  return found;
}

function matchOf(
  text: string,
  matcher: Matcher,
  names: ReadonlyMap<number, string>,
  offsetOf: (index: number) => number,
): Match {
  const [start, end] = [matcher.start(), matcher.end()];
  const own = text.slice(start, end);
  const offset = offsetOf(start);
  const groups: JqValue[] = [];
  const captures = Array.from({ length: matcher.groupCount() }, (_, index): JqValue => {
    const group = index + 1;
    const from = matcher.start(group);
    const name = names.get(group) ?? null;
    if (from < 0) {
      groups.push(null);
      return { name, offset: -1, length: 0, string: null };
    }
    const string = text.slice(from, matcher.end(group));
    groups.push(string);
    return { name, offset: offset + [...text.slice(start, from)].length, length: [...string].length, string };
  });
  const record: JqValue = { offset, length: [...own].length, string: own, captures };
  return { record, text: own, groups, start, end };
}

/** Returns a function that counts the characters before an index. Indexes must be passed in ascending order. */
function createCounter(text: string): (index: number) => number {
  let [counted, characters] = [0, 0];
  return (index) => {
    characters += [...text.slice(counted, index)].length;
    counted = index;
    return characters;
  };
}

function captured(record: JqValue): JqValue {
  const captures = isRecord(record) ? fieldOf(record, "captures") : null;
  const named = (isList(captures) ? captures : []).flatMap((capture): (readonly [string, JqValue])[] => {
    if (!isRecord(capture)) return [];
    const name = fieldOf(capture, "name");
    return typeof name === "string" ? [[name, fieldOf(capture, "string")]] : [];
  });
  return recordOf(named);
}

function split(input: JqValue, pattern: JqValue, flags: JqValue): readonly string[] {
  if (typeof input !== "string") throw failure(`split cannot be applied to: ${described(input)}`);
  if (typeof pattern !== "string") throw failure('split cannot be applied to: string ("")');
  if (flags !== null && typeof flags !== "string")
    throw failure(`split cannot be applied to: ${described(flags)}`);
  const pieces: string[] = [];
  let start = 0;
  for (const match of matches("split", input, pattern, withGlobal(flags))) {
    // An empty match at the beginning or the end splits nothing.
    if (match.end === 0 || (match.start === match.end && match.start === input.length)) continue;
    pieces.push(input.slice(start, match.start));
    start = match.end;
  }
  return [...pieces, input.slice(start)];
}

/** `sub(pattern; text; flags)`: if the text has several values, the result has as well. */
function substitution(name: string, isGlobal: boolean): Builtins {
  const call: BuiltinCall = ({ run, input, path, emit, args: [pattern, replacement, flags] }) => {
    const patterns = [pattern, flags].filter((each) => each !== undefined);
    eachInOrder(patterns, input, ([source = null, given = null]) => {
      const found = matches("match", input, source, isGlobal ? withGlobal(given) : given);
      const text = typeof input === "string" ? input : "";
      let end = text.length;
      let made: readonly string[] = [""];
      for (const match of found.toReversed()) {
        const values = replacement === undefined ? [] : collected(replacement, captured(match.record), run);
        const between = text.slice(match.end, end);
        run.step(made.length * values.length);
        made = made.flatMap((rest) =>
          values.map((value) => joined(textValue(value, text), joined(between, rest))),
        );
        end = match.start;
      }
      for (const rest of made) emit(joined(text.slice(0, end), rest), computed(path));
    });
  };
  return { [`${name}/2`]: call, [`${name}/3`]: call };
}

function textValue(value: JqValue, text: string): string {
  if (typeof value === "string") return value;
  throw failure(`cannot add: ${described(text)} and ${described(value)}`);
}
