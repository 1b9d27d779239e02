// Shows the streams of the gateway with states, counters and rates, as a table and individually.

import type { StreamState } from "../../runtime/stream/stream-state.ts";
import { rateText } from "../kit/numbers.ts";
import { Badge, Empty, Facts, Heading, Tile, Time, type Tone } from "../kit/parts.tsx";
import { linkTo } from "../kit/router.ts";
import { type Column, Table } from "../kit/table.tsx";
import { Charts } from "./charts.tsx";
import { keyOf, look, lookState, nameOf, type RatedCounter, ratesOf } from "./gateway.ts";
import { Readiness } from "./readiness.tsx";

const good: readonly string[] = ["running", "waiting", "finished"];
const bad: readonly string[] = ["failed", "blocked"];

/** Returns the tone for the status of a stream. */
export function toneOf({ status }: StreamState): Tone {
  return bad.includes(status) ? "bad" : good.includes(status) ? "good" : "warn";
}

/** Returns the link to a stream in this page. */
export function linkOf(state: StreamState): string {
  return linkTo("stream", keyOf(state));
}

/**
 * Returns a column with a rate and its count: separate columns would make the table wider than a window of 1280
 * pixels.
 */
function rated(title: string, counter: RatedCounter): Column<StreamState> {
  return {
    title,
    isNumber: true,
    sort: ({ messages }) => messages[counter],
    cell: (state) => (
      <div class="rated">
        <span class="rate">{rateText(ratesOf(state)?.[counter])}/s</span>
        <small class="note total">{state.messages[counter].toLocaleString()}</small>
      </div>
    ),
  };
}

function counted(title: string, find: (state: StreamState) => number | undefined): Column<StreamState> {
  return {
    title,
    isNumber: true,
    sort: (state) => find(state) ?? -1,
    cell: (state) => find(state)?.toLocaleString() ?? "",
  };
}

const columns: readonly Column<StreamState>[] = [
  { title: "Stream", sort: nameOf, cell: (state) => <a href={linkOf(state)}>{nameOf(state)}</a> },
  { title: "API", sort: ({ api }) => api, cell: ({ api }) => api },
  {
    title: "State",
    sort: ({ status }) => status,
    cell: (state) => (
      <div>
        <Badge tone={toneOf(state)}>{state.status}</Badge>
        {state.reason !== undefined && <div class="note">{state.reason}</div>}
      </div>
    ),
  },
  rated("Received", "received"),
  rated("Delivered", "delivered"),
  rated("Failed", "failed"),
  counted("In flight", ({ messages }) => messages.inFlight),
  counted("Clients", ({ clients }) => clients),
  counted("Lag", ({ lag }) => lag),
];

/** Shows all streams as a table. */
export function StreamTable() {
  return (
    <Table
      id="streams"
      title="Streams"
      rows={look.value?.streams}
      fetched={lookState()}
      columns={columns}
      keyOf={keyOf}
      textOf={(state) => `${state.api} ${nameOf(state)} ${state.status} ${state.reason ?? ""}`}
      empty={
        <Empty title="This gateway has no streams.">
          Streams are written in the document of an API, under x-gw-streaming.
        </Empty>
      }
    />
  );
}

/** Shows one stream. */
export function StreamView({ name }: { readonly name: string }) {
  const state = look.value?.streams.find((each) => keyOf(each) === name);
  const crumbs = <a href="#/">Overview</a>;
  if (state === undefined) {
    return (
      <>
        <Heading title="Stream" crumbs={crumbs} />
        <div class="card">
          <Empty title="There is no such stream." next={<a href="#/">See all streams</a>}>
            It may have been removed by a deployment, or its instance may have ended.
          </Empty>
        </div>
      </>
    );
  }
  const { api, messages, lastError, nextAttempt, blocked, reason } = state;
  return (
    <>
      <Heading
        title={nameOf(state)}
        crumbs={crumbs}
        beside={
          <>
            <Badge tone={toneOf(state)}>{state.status}</Badge>
            <Readiness />
          </>
        }
      >
        API {api}
      </Heading>
      {reason !== undefined && (
        <div class="notice bad">
          <strong>{reason}</strong>
          <Facts
            entries={[
              ["Attempts", blocked?.attempts],
              ["Since", blocked && <Time at={blocked.since} />],
              ["Batches that wait", blocked?.batches],
              ["Where", blocked?.source && <code>{JSON.stringify(blocked.source)}</code>],
              ["Next attempt", nextAttempt && <Time at={nextAttempt} only="time" />],
            ]}
          />
        </div>
      )}
      <div class="tiles">
        <Tile name="Received" value={messages.received.toLocaleString()} />
        <Tile name="Delivered" value={messages.delivered.toLocaleString()} />
        <Tile name="Failed" value={messages.failed.toLocaleString()} />
        <Tile name="In flight" value={messages.inFlight.toLocaleString()} />
      </div>
      <Charts keys={[name]} />
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">Details</h2>
        <Facts
          entries={[
            ["Written by the output", messages.written.toLocaleString()],
            ["Redelivered", messages.retried.toLocaleString()],
            ["Dead letters", messages.deadLettered.toLocaleString()],
            ["Clients", state.clients?.toLocaleString()],
            ["Lag at the source", state.lag?.toLocaleString()],
            ["Batches of earlier versions", state.retiring],
            ["Last error", lastError?.reason],
            ["Time of that", lastError && <Time at={lastError.at} />],
          ]}
        />
      </section>
    </>
  );
}
