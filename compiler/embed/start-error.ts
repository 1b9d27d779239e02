// What starting a gateway in this process throws when the machine or the environment stands in the way.

/** A compiled gateway cannot serve here and now; `problems` are sentences for whoever operates it. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("; "), options);
    this.problems = problems;
  }
}
