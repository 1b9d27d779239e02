// Problems of a package of components, which are reported at the place that names the package.

import type { DiagnosticCode, DiagnosticDetails } from "../diagnostics/catalogue.ts";
import type { Report } from "../diagnostics/sink.ts";
import type { Span } from "../source/source.ts";

/** A problem of a package; `reportAt` reports it. */
export class PackageProblem extends Error {
  override readonly name = "PackageProblem";
  /** Reports the problem at the place that names the package, or at a place of its own. */
  readonly reportAt: (report: Report, span?: Span) => void;

  constructor(reportAt: (report: Report, span?: Span) => void) {
    super("a package of components violates the contract");
    this.reportAt = reportAt;
  }
}

/** Throws a problem whose place the caller knows. */
export function refuse<C extends DiagnosticCode>(code: C, details: DiagnosticDetails<C>): never {
  throw new PackageProblem((report, span) => {
    if (span !== undefined) report(code, span, details);
  });
}

/** Throws a problem with a place of its own, because it is found after the package was loaded. */
export function refuseAt<C extends DiagnosticCode>(
  code: C,
  span: Span,
  details: DiagnosticDetails<C>,
): never {
  throw new PackageProblem((report) => report(code, span, details));
}
