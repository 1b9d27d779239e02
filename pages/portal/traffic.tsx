// Shows the traffic of a connection being tried: events and messages with their times, the newest first.

import { Badge, Code, Empty, Time, type Tone } from "../kit/parts.tsx";
import { t } from "./messages.ts";

/** An event of a stream, or a message of a WebSocket. */
export interface Passed {
  /** Sequence number on the connection, counted from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly direction: "received" | "sent";
  /** Type of an event; empty for messages. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Maximum number of entries kept; older ones are dropped. */
const mostKept = 200;
/** Maximum number of characters shown per entry. */
const mostShown = 20_000;

/** Adds new entries before the existing ones. */
export function withPassed(
  before: readonly Passed[],
  fresh: readonly Omit<Passed, "number" | "at">[],
): readonly Passed[] {
  const first = (before[0]?.number ?? 0) + 1;
  const at = Date.now();
  const numbered = fresh.map((each, index) => ({ ...each, number: first + index, at }));
  return [...numbered.toReversed(), ...before].slice(0, mostKept);
}

/** Shows the state of a connection as a badge, with a button to close it. */
export function Connection(options: {
  readonly state: string;
  readonly tone: Tone;
  readonly count: string;
  readonly end?: (() => void) | undefined;
}) {
  const { state, tone, count, end } = options;
  return (
    <div class="bar">
      <span role="status">
        <Badge tone={tone}>{state}</Badge>
      </span>
      <span class="note">{count}</span>
      {end !== undefined && (
        <button type="button" class="small" onClick={end}>
          {t("try.stop")}
        </button>
      )}
    </div>
  );
}

/** Lists all entries. */
export function Traffic({ name, passed }: { readonly name: string; readonly passed: readonly Passed[] }) {
  if (passed.length === 0) return <Empty title={t("try.nothingYet")} />;
  return (
    <ol
      class="traffic"
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it, WCAG 2.1.1
      tabIndex={0}
    >
      {passed.map(({ number, at, direction, event, id, data }) => (
        <li key={number} class={direction}>
          <p class="note">
            <Time at={at} only="time" />
            <strong>{direction === "sent" ? t("try.sent") : event || t("try.message")}</strong>
            {id !== "" && <span>id {id}</span>}
          </p>
          <pre>{data.length > mostShown ? `${data.slice(0, mostShown)} …` : data}</pre>
        </li>
      ))}
    </ol>
  );
}

/** Shows the beginning of a response body that is not an event stream. */
export function AnswerBody({ name, text }: { readonly name: string; readonly text: string }) {
  return text === "" ? null : <Code name={name} text={text.slice(0, mostShown)} />;
}
