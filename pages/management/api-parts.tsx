// The parts of an API's view around the editor: problems, routes, streams, versions.

import { callerLines } from "../../management/drawing/picture.ts";
import { confirmed } from "../kit/dialogs.tsx";
import { type Fetched, useFetched } from "../kit/fetched.tsx";
import { rateText } from "../kit/numbers.ts";
import { Act, Badge, Empty, Time } from "../kit/parts.tsx";
import { type Column, Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import type { Checked } from "./checking.ts";
import {
  askService,
  askServiceFor,
  hasErrors,
  type Problem,
  type Route,
  type ServiceList,
} from "./service.ts";
import { countOf, type Measured, rateOf, toneOfState, wordsOf } from "./streams.ts";

/** Lists the problems of a definition, with links to their positions. */
export function Problems(options: {
  /** Absent while the definition is being checked. */
  readonly checked: Checked | undefined;
  readonly visit: (problem: Problem) => void;
}) {
  const { checked, visit } = options;
  const { problems = [], refusal } = checked ?? {};
  const tone = checked === undefined ? "note" : refusal !== undefined || hasErrors(problems) ? "bad" : "good";
  return (
    <section class="card" aria-labelledby="problems-title">
      <h2 id="problems-title">Diagnostics</h2>
      <p id="summary" role="status" class={tone}>
        {checked === undefined ? "Checking…" : (refusal ?? summarise(problems))}
      </p>
      <ol id="problems">
        {problems.map((problem) => (
          <li key={`${problem.line}:${problem.column} ${problem.code} ${problem.message}`}>
            <button type="button" class={problem.severity} onClick={() => visit(problem)}>
              {problem.line}:{problem.column} {problem.message}
              <small>
                {problem.severity} {problem.code}
              </small>
              {problem.hint !== undefined && <small>{problem.hint}</small>}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function summarise(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const others = problems.length - errors;
  if (problems.length === 0) return "Nothing is wrong.";
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return [errors > 0 ? count(errors, "error") : "", others > 0 ? count(others, "warning") : ""]
    .filter((text) => text !== "")
    .join(", ");
}

/** Lists the routes of the definition in the editor, and who may call them. */
export function Routes({ routes }: { readonly routes: readonly Route[] }) {
  const column = (title: string, textOf: (route: Route) => string): Column<Route> => {
    return { title, sort: textOf, cell: textOf };
  };
  const verbsOf = ({ transport, callers }: Route) => {
    const verbs = Object.keys(callers);
    return transport === "websocket" ? "WebSocket" : verbs.includes("*") ? "all others" : verbs.join(", ");
  };
  return (
    <div id="routes">
      <Table
        id="route-table"
        title="Routes of this text"
        rows={routes}
        keyOf={(route) => JSON.stringify(route)}
        textOf={(route) => JSON.stringify(Object.values(route))}
        columns={[
          column("Path", ({ path, version }) => (version === undefined ? path : `${path} (${version})`)),
          column("Verbs", verbsOf),
          column("Served by", ({ stream }) => stream ?? "upstream"),
          column("Who may call", ({ callers }) => callerLines(callers).join("; ")),
        ]}
        empty={<Empty title="This definition has no routes" />}
      />
    </div>
  );
}

/** Lists the streams of an API with their activity and the actions of operators. */
export function Streams(options: {
  readonly fetched: Fetched<readonly Measured[]>;
  readonly watch: (stream: string) => void;
}) {
  const { fetched, watch } = options;
  const command = async ({ api_id: api, stream }: Measured, name: string) => {
    await askService("POST", `/streams/${[api, stream].map(encodeURIComponent).join("/")}/${name}`);
    say(`Requested: ${name} ${stream}.`);
    await fetched.refresh();
  };
  const stop = (stream: Measured) =>
    confirmed(
      {
        title: `Stop ${stream.stream}?`,
        text: "It stops at all gateways, including those that start later, until it is started again.",
        yes: "Stop it",
      },
      () => command(stream, "stop"),
    );
  const restart = (stream: Measured) =>
    confirmed(
      {
        title: `Restart ${stream.stream}?`,
        text: "It finishes what is in flight at all gateways and starts again. Its clients are disconnected.",
        yes: "Restart it",
      },
      () => command(stream, "restart"),
    );
  const number = (title: string, name: string): Column<Measured> => ({
    title,
    isNumber: true,
    sort: (stream) => countOf([stream], name),
    cell: (stream) => countOf([stream], name).toLocaleString(),
  });
  return (
    <div id="streams">
      <Table
        id="stream-table"
        title="Streams"
        rows={fetched.answer}
        fetched={fetched}
        keyOf={({ stream }) => stream}
        columns={[
          { title: "Stream", sort: ({ stream }) => stream, cell: ({ stream }) => stream },
          {
            title: "State",
            sort: ({ state }) => state,
            cell: ({ state, reason }) => (
              <div>
                <Badge tone={toneOfState(state)}>{state}</Badge>
                {reason !== undefined && <div class="note">{wordsOf(reason)}</div>}
              </div>
            ),
          },
          { title: "In/s", isNumber: true, cell: (stream) => rateText(rateOf([stream], "received")) },
          { title: "Out/s", isNumber: true, cell: (stream) => rateText(rateOf([stream], "written")) },
          number("Received", "received"),
          number("Written", "written"),
          number("Failed", "failed"),
          number("In flight", "inFlight"),
          {
            title: "Actions",
            isForActs: true,
            cell: (stream) => (
              <div class="acts">
                {stream.wanted === "stopped" ? (
                  <Act
                    text="Start"
                    about={stream.stream}
                    look="small"
                    work={() => command(stream, "start")}
                  />
                ) : (
                  <>
                    <Act text="Stop" about={stream.stream} look="small danger" work={() => stop(stream)} />
                    <Act text="Restart" about={stream.stream} look="small" work={() => restart(stream)} />
                    <Act text="Watch" about={stream.stream} look="small" work={() => watch(stream.stream)} />
                  </>
                )}
              </div>
            ),
          },
        ]}
        empty={<Empty title="No streams are deployed" />}
      />
    </div>
  );
}

/** A version in the response of the service. */
interface Version {
  readonly version: number;
  readonly created_at?: string;
  readonly created_by?: string;
}

/** Lists the earlier versions of an API. `done` is called after reverting to one. */
export function Versions({ id, done }: { readonly id: string; readonly done: () => unknown }) {
  const path = `/apis/streams/${encodeURIComponent(id)}/versions`;
  const versions = useFetched(() =>
    askServiceFor<ServiceList<Version> & { readonly Current: number }>("GET", path),
  );
  const goBack = ({ version }: Version) =>
    confirmed(
      {
        title: `Roll back to version ${version}?`,
        text: "Its text becomes the newest version and is deployed. No version is lost.",
        yes: "Roll back to it",
      },
      async () => {
        await askService("POST", `${path}/${version}/rollback`);
        say(`The text of version ${version} goes live.`);
        await done();
      },
    );
  return (
    <Table
      id="versions"
      title="Versions"
      rows={versions.answer?.Data}
      fetched={versions}
      keyOf={({ version }) => String(version)}
      columns={[
        { title: "Version", sort: ({ version }) => version, cell: ({ version }) => version },
        { title: "When", cell: ({ created_at: at = "" }) => <Time at={at} /> },
        { title: "By", cell: ({ created_by: by }) => by },
        {
          title: "Actions",
          isForActs: true,
          cell: (each) =>
            each.version === versions.answer?.Current ? (
              <Badge tone="good">current</Badge>
            ) : (
              <Act
                text="Roll back"
                about={`version ${each.version}`}
                look="small"
                work={() => goBack(each)}
              />
            ),
        },
      ]}
      empty={<Empty title="No versions" />}
    />
  );
}
