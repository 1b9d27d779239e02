// What passes on a connection that is tried: events and messages with their times, the newest first.

import { Badge, Code, Empty, Time, type Tone } from "../kit/parts.tsx";
import { t } from "./messages.ts";

/** An event of a stream, or a message of a WebSocket. */
export interface Passed {
  /** Counts from 1 on each connection. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly direction: "received" | "sent";
  /** Type of an event; empty for messages. */
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Entries that are kept; older ones go. */
const mostKept = 200;
/** Characters that are shown of one. */
const mostShown = 20_000;

/** Puts what has passed before what passed until then. */
export function withPassed(
  before: readonly Passed[],
  fresh: readonly Omit<Passed, "number" | "at">[],
): readonly Passed[] {
  const first = (before[0]?.number ?? 0) + 1;
  const at = Date.now();
  const numbered = fresh.map((each, index) => ({ ...each, number: first + index, at }));
  return [...numbered.toReversed(), ...before].slice(0, mostKept);
}

/** The state of a connection, in a word and a colour, with what ends it. */
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

/** All that has passed. */
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

/** The body of an answer that is not a stream of events, from its beginning. */
export function AnswerBody({ name, text }: { readonly name: string; readonly text: string }) {
  return text === "" ? null : <Code name={name} text={text.slice(0, mostShown)} />;
}
