// Which of several connections are lost at the moment.

/** Says that a connection is lost and being repaired, and why; `undefined` once it is back. */
export type ReportConnection = (lost: string | undefined) => void;

/** The lost connections of one stream, or of the children of one component. */
export class LostConnections {
  readonly #reasons = new Map<ReportConnection, string>();
  readonly #changed: () => void;

  /** `changed` is called after each report. */
  constructor(changed: () => void = () => undefined) {
    this.#changed = changed;
  }

  /** Why the longest lost one is, while any is. */
  get reason(): string | undefined {
    return this.#reasons.values().next().value;
  }

  /** How one more connection reports; its word counts until `end`. */
  reporter(end: AbortSignal): ReportConnection {
    const report: ReportConnection = (lost) => {
      if (lost === undefined || end.aborted) this.#reasons.delete(report);
      else if (!this.#reasons.has(report)) this.#reasons.set(report, lost);
      this.#changed();
    };
    end.addEventListener("abort", () => report(undefined), { once: true });
    return report;
  }
}
