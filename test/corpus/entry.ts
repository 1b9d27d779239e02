const starts = ["gateway.", "api.", "stream."];

/** The file of a corpus folder that is compiled: the set, else the API document, else the bare stream. */
export function entryOf(files: readonly string[]): string {
  for (const start of starts) {
    const entry = files.find((file) => file.startsWith(start));
    if (entry !== undefined) return entry;
  }
  throw new Error(`none of ${files.join(", ")} begins with one of ${starts.join(", ")}`);
}
