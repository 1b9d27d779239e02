// The view with the state of the whole gateway.

import type { StreamState } from "../../runtime/stream/stream-state.ts";
import { countText, rateText, spanText } from "../kit/numbers.ts";
import { Badge, Heading, Tile, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { Charts } from "./charts.tsx";
import { isPaused, keyOf, look, nameOf, seriesOf } from "./gateway.ts";
import { Readiness } from "./readiness.tsx";
import { linkOf, StreamTable } from "./streams.tsx";

/** The initial view of the page. */
export function Overview() {
  const { streams = [], readiness, info, at = 0 } = look.value ?? {};
  const { reasons = [], notes = [] } = readiness ?? {};
  const texts = [...reasons, ...notes];
  const sum = (name: "received" | "delivered" | "failed") =>
    rateText(seriesOf(undefined, ({ rates }) => rates?.[name]).at(-1) ?? undefined);
  const bad = streams.filter(({ status }) => status === "failed" || status === "blocked").length;
  return (
    <>
      <Heading title="Overview" beside={<Readiness />} tools={<Tools />} />
      {texts.length > 0 && (
        <div class={reasons.length > 0 ? "notice bad" : "notice"}>
          {/* Scrolls, so that the numbers stay in sight if many streams fail. */}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 */}
          <ul id="reasons" aria-label="What is wrong" tabIndex={0}>
            {texts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      <div class="tiles">
        <Tile
          name="Streams"
          value={streams.length.toLocaleString()}
          more={bad === 0 ? "none has failed" : `${bad} failed or blocked`}
        />
        <Tile name="Received" value={`${sum("received")}/s`} more={total(streams, "received")} />
        <Tile name="Delivered" value={`${sum("delivered")}/s`} more={total(streams, "delivered")} />
        <Tile name="Failed" value={`${sum("failed")}/s`} more={total(streams, "failed")} />
        <Tile
          name="Up for"
          value={info === undefined ? "–" : spanText(at - Date.parse(info.startedAt))}
          more={info && `Sluice ${info.version}, Node.js ${info.node}`}
        />
      </div>
      <Charts />
      <Failures streams={streams} />
      <StreamTable />
    </>
  );
}

function total(streams: readonly StreamState[], name: "received" | "delivered" | "failed"): string {
  return countText(
    streams.reduce((sum, { messages }) => sum + messages[name], 0),
    "message",
  );
}

function Tools() {
  return (
    <>
      <span id="updated" class="note">
        {look.value !== undefined && (
          <>
            as of <Time at={look.value.at} only="time" />
          </>
        )}
      </span>
      <button
        id="pause"
        type="button"
        aria-pressed={isPaused.value}
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        Pause
      </button>
    </>
  );
}

/** Lists the latest failure of each stream, the newest first. */
function Failures({ streams }: { readonly streams: readonly StreamState[] }) {
  const failed = streams
    .flatMap((state) => (state.lastError === undefined ? [] : [{ state, ...state.lastError }]))
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  if (failed.length === 0) return null;
  return (
    <Table
      id="failures"
      title="Last failures"
      rows={failed}
      keyOf={({ state }) => keyOf(state)}
      textOf={({ state, reason }) => `${state.api} ${nameOf(state)} ${reason}`}
      columns={[
        {
          title: "Stream",
          sort: ({ state }) => nameOf(state),
          cell: ({ state }) => <a href={linkOf(state)}>{nameOf(state)}</a>,
        },
        { title: "Reason", sort: ({ reason }) => reason, cell: ({ reason }) => reason },
        { title: "When", sort: ({ at }) => Date.parse(at), cell: ({ at }) => <Time at={at} isExact /> },
        {
          title: "Now",
          sort: ({ state }) => state.status,
          cell: ({ state }) => (
            <Badge tone={state.status === "failed" || state.status === "blocked" ? "bad" : "good"}>
              {state.status}
            </Badge>
          ),
        },
      ]}
      empty={null}
    />
  );
}
