// Shows one deployment: its APIs, those that did not compile, and the result at each gateway.

import type { Deployment } from "../../management/generated/deployment.ts";
import { useFetched } from "../kit/fetched.tsx";
import { spanText } from "../kit/numbers.ts";
import { Badge, Empty, Facts, Time, type Tone } from "../kit/parts.tsx";
import { linkTo } from "../kit/router.ts";
import { type Column, Table } from "../kit/table.tsx";

interface DeployedApi {
  readonly id: string;
  readonly version: number;
}

interface FailedApi {
  readonly id: string;
  readonly message: string;
}

/** The result for an API, as reported by a gateway. */
interface ApiOutcome {
  readonly api: string;
  /** `rolled back`: the previous version continues to run. */
  readonly outcome: "unchanged" | "applied" | "removed" | "rolled back";
  readonly reason?: string;
}

interface ReportedOutcome {
  readonly gateway: string;
  readonly outcomes: readonly ApiOutcome[];
  readonly reported_at: string;
  /** Milliseconds. */
  readonly took: number;
}

/** A result and its gateway. */
type Row = ApiOutcome & Omit<ReportedOutcome, "outcomes">;

/** Shows a deployment in a dialog. */
export function DeploymentDetails(options: {
  readonly deployment: Deployment;
  /** Loads it again: gateways report one after the other. */
  readonly read: () => Promise<Deployment | undefined>;
  readonly close: () => void;
}) {
  const { read, close } = options;
  const deployment = useFetched(read, { every: 2_000 }).answer ?? options.deployment;
  const { digest, created_at: at, waited, compiled } = deployment;
  // The management service writes these records.
  const apis = (deployment.apis ?? []) as unknown as readonly DeployedApi[];
  const failures = (deployment.failures ?? []) as unknown as readonly FailedApi[];
  const reports = (deployment.gateways ?? []) as unknown as readonly ReportedOutcome[];
  const rows = reports.flatMap(({ outcomes, ...report }): readonly Row[] =>
    outcomes.map((outcome) => ({ ...outcome, ...report })),
  );
  const isChanged = rows.filter(({ outcome }) => outcome !== "unchanged");
  return (
    <div class="stack">
      <Facts
        entries={[
          ["When", <Time key="at" at={at} />],
          ["Digest", <code key="digest">{digest.slice(0, 16)}…</code>],
          ["Since the last change", waited === undefined ? undefined : timeText(waited)],
          ["Compiled in", compiled === undefined ? undefined : timeText(compiled)],
        ]}
      />
      {failures.length > 0 && (
        <Table
          id="deployment-failures"
          title="APIs that did not compile"
          rows={failures}
          keyOf={({ id }) => id}
          columns={[apiColumn(), { title: "Reason", cell: ({ message }) => message }]}
          empty={null}
        />
      )}
      <Table
        id="deployment-outcomes"
        title="Changes at gateways"
        rows={isChanged}
        keyOf={({ gateway, api }) => `${gateway} ${api}`}
        textOf={({ gateway, api, reason = "" }) => `${gateway} ${api} ${reason}`}
        columns={[
          { title: "Gateway", sort: ({ gateway }) => gateway, cell: ({ gateway }) => gateway },
          { title: "API", sort: ({ api }) => api, cell: ({ api }) => <a href={linkTo("api", api)}>{api}</a> },
          {
            title: "Outcome",
            sort: ({ outcome }) => outcome,
            cell: ({ outcome, reason }) => (
              <>
                <Badge tone={toneOf(outcome)}>{outcome}</Badge> {reason}
              </>
            ),
          },
          { title: "After", isNumber: true, sort: ({ took }) => took, cell: ({ took }) => timeText(took) },
        ]}
        empty={
          <Empty
            title={
              reports.length === 0 ? "No gateway has reported yet." : "No gateway had to change anything."
            }
          />
        }
      />
      <Table
        id="deployment-apis"
        title="APIs"
        rows={apis}
        keyOf={({ id }) => id}
        textOf={({ id }) => id}
        columns={[apiColumn(), { title: "Version", isNumber: true, cell: ({ version }) => version }]}
        empty={<Empty title="No APIs" />}
      />
      <div class="tools">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}

function apiColumn<T extends { readonly id: string }>(): Column<T> {
  return { title: "API", sort: ({ id }) => id, cell: ({ id }) => <a href={linkTo("api", id)}>{id}</a> };
}

function toneOf(outcome: ApiOutcome["outcome"]): Tone {
  return outcome === "applied" ? "good" : outcome === "rolled back" ? "bad" : "plain";
}

/** Formats milliseconds. */
function timeText(milliseconds: number): string {
  return milliseconds < 10_000 ? `${milliseconds.toLocaleString()} ms` : spanText(milliseconds);
}
