// Two texts as a list of lines: what is missing led by `-`, what is too much by `+`.

/** Lines of context around what differs. */
const context = 2;
/** Above this many pairs of lines the lines in between are shown whole, not compared one by one. */
const limit = 1_000_000;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** How `actual` differs from `expected`, line by line; lines that agree are left out but near a difference. */
export function lineDiff(expected: string, actual: string): readonly string[] {
  const lines = compareLines(expected.split("\n"), actual.split("\n"));
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ mark }) => mark !== " "),
  );
  return lines.flatMap(({ mark, text }, at) => {
    if (shown[at] === true) return [`${mark} ${text}`];
    return at === 0 || shown[at - 1] === true ? ["  …"] : [];
  });
}

function compareLines(expected: readonly string[], actual: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < expected.length && start < actual.length && expected[start] === actual[start]) start++;
  let end = 0;
  while (
    end < Math.min(expected.length, actual.length) - start &&
    expected.at(-1 - end) === actual.at(-1 - end)
  ) {
    end++;
  }
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...expected.slice(0, start).map(same),
    ...compareMiddle(expected.slice(start, expected.length - end), actual.slice(start, actual.length - end)),
    ...expected.slice(expected.length - end).map(same),
  ];
}

/** The longest common subsequence decides which lines stay. */
function compareMiddle(expected: readonly string[], actual: readonly string[]): readonly Line[] {
  const lines: Line[] = [];
  const lengths = expected.length * actual.length > limit ? undefined : commonLengths(expected, actual);
  let at = 0;
  let other = 0;
  const width = actual.length + 1;
  while (lengths !== undefined && at < expected.length && other < actual.length) {
    const text = expected[at] ?? "";
    if (text === actual[other]) {
      lines.push({ mark: " ", text });
      at++;
      other++;
    } else if ((lengths[(at + 1) * width + other] ?? 0) >= (lengths[at * width + other + 1] ?? 0)) {
      lines.push({ mark: "-", text });
      at++;
    } else lines.push({ mark: "+", text: actual[other++] ?? "" });
  }
  for (const text of expected.slice(at)) lines.push({ mark: "-", text });
  for (const text of actual.slice(other)) lines.push({ mark: "+", text });
  return lines;
}

function commonLengths(expected: readonly string[], actual: readonly string[]): Uint32Array {
  const width = actual.length + 1;
  const lengths = new Uint32Array((expected.length + 1) * width);
  for (let at = expected.length - 1; at >= 0; at--) {
    for (let other = actual.length - 1; other >= 0; other--) {
      lengths[at * width + other] =
        expected[at] === actual[other]
          ? (lengths[(at + 1) * width + other + 1] ?? 0) + 1
          : Math.max(lengths[(at + 1) * width + other] ?? 0, lengths[at * width + other + 1] ?? 0);
    }
  }
  return lengths;
}
