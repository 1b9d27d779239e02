// Parses the text format of Prometheus as strictly as the parser of Prometheus does.

/** Values by name with labels in the order printed: `a_total{b="c"}`. */
export type Samples = ReadonlyMap<string, number>;

const sampleLine =
  /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (-?[\d.]+(?:e[-+]?\d+)?|[+-]Inf|NaN)$/;

/** Returns all samples. Throws if a line is invalid, if a sample has no preceding type, or if a sample occurs twice. */
export function parseExposition(text: string): Samples {
  const samples = new Map<string, number>();
  const types = new Set<string>();
  for (const line of text.split("\n").filter(Boolean)) {
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line);
    if (type?.[1] !== undefined) {
      if (types.has(type[1])) throw new Error(`${type[1]} has two types`);
      types.add(type[1]);
    }
    if (line.startsWith("#")) continue;
    const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? [];
    if (name === "") throw new Error(`no sample: ${line}`);
    const family = [name, name.replace(/_(bucket|sum|count)$/, "")].find((each) => types.has(each));
    if (family === undefined) throw new Error(`${name} has no type`);
    if (samples.has(name + labels)) throw new Error(`${name}${labels} stands there twice`);
    samples.set(name + labels, Number(value.replace("Inf", "Infinity")));
  }
  return samples;
}
