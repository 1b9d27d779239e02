// The results of the files of one kind, and their printed form.

/** The result of one file or document. */
export interface Finding {
  readonly name: string;
  /** Empty if the file passed. */
  readonly problems: readonly {
    /** The code of a diagnostic; absent for a failed test. */
    readonly code?: string;
    readonly text: string;
  }[];
}

/** The codes for an unknown component, field or value; GW4002 gives the reason, like `docs/compatibility.md`. */
const missing: readonly (string | undefined)[] = ["GW4001", "GW4010", "GW4016"];

/** The problem of a finding that may not be: a test that ran and failed, or something missing beside no component refused. */
function faultOf({ problems }: Finding): Finding["problems"][number] | undefined {
  const failed = problems.find(({ code }) => code === undefined);
  if (failed !== undefined || problems.some(({ code }) => code === "GW4002")) return failed;
  return problems.find(({ code }) => missing.includes(code));
}

/** Whether no finding is a fault. */
export function holds(findings: readonly Finding[]): boolean {
  return findings.every((finding) => faultOf(finding) === undefined);
}

/** Returns the counts, and below them each file that did not pass, with its fault or otherwise the first reason. */
export function renderFindings(title: string, findings: readonly Finding[]): string {
  const lines: string[] = [];
  let faults = 0;
  for (const finding of findings) {
    const fault = faultOf(finding);
    const problem = fault ?? finding.problems[0];
    if (problem === undefined) continue;
    if (fault !== undefined) faults += 1;
    const { code, text } = problem;
    const reason = `${code === undefined ? "" : `${code} `}${text.replaceAll("\n", " ")}`;
    lines.push(`  ${fault === undefined ? "refused" : "FAULT  "} ${finding.name}: ${reason}`);
  }
  const passed = findings.length - lines.length;
  const head = `${title}: ${passed} passed, ${lines.length - faults} refused, ${faults} faults`;
  return [head, ...lines].join("\n");
}
