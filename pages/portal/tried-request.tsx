// Sends a request to try an operation, and shows its response, or its events while they arrive.

import { createParser } from "eventsource-parser";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge, type Tone } from "../kit/parts.tsx";
import { messageOf } from "../kit/toasts.tsx";
import { t } from "./messages.ts";
import { AnswerBody, Connection, type Passed, Traffic, withPassed } from "./traffic.tsx";

/** The request to send. */
export interface TriedRequest {
  readonly address: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a request without a body. */
  readonly body: string;
}

/** Maximum number of characters kept of a body, and of one event. */
const mostKept = 1 << 20;

interface Progress {
  readonly state: "asking" | "open" | "ended" | "stopped" | "failed";
  readonly status?: number;
  readonly words?: string;
  readonly type?: string;
  readonly isStream?: boolean;
  readonly text: string;
  readonly failure?: string;
}

/** Sends the request when it is mounted, and aborts it when it is unmounted. */
export function RequestTried({ name, request }: { readonly name: string; readonly request: TriedRequest }) {
  const [progress, setProgress] = useState<Progress>({ state: "asking", text: "" });
  const [passed, setPassed] = useState<readonly Passed[]>([]);
  const controller = useRef(new AbortController());
  const add = (change: Partial<Progress>) => setProgress((before) => ({ ...before, ...change }));
  useEffect(() => {
    const own = controller.current;
    follow(request, own.signal, {
      begins: (response) => {
        const type = response.headers.get("content-type") ?? "";
        const isStream = /^text\/event-stream\b/i.test(type);
        add({ state: "open", status: response.status, words: response.statusText, type, isStream });
        return isStream;
      },
      text: (part) => setProgress((before) => ({ ...before, text: (before.text + part).slice(0, mostKept) })),
      events: (events) => setPassed((before) => withPassed(before, events)),
    }).then(
      () => add({ state: "ended" }),
      (error: unknown) => {
        if (own.signal.aborted) add({ state: "stopped" });
        else add({ state: "failed", failure: messageOf(error) });
      },
    );
    return () => own.abort();
  }, []);
  const { state, status = 0, words = "", type = "", isStream = false, text, failure } = progress;
  const isOpen = state === "asking" || state === "open";
  return (
    <div class="stack tight tried">
      {status > 0 && (
        <p>
          <Badge tone={toneOf(status)}>{`${status} ${words}`.trim()}</Badge> <span class="note">{type}</span>
        </p>
      )}
      <Connection
        state={t(`try.${state}`)}
        tone={state === "failed" ? "bad" : isOpen ? "good" : "plain"}
        count={isStream ? t("try.events", { count: passed[0]?.number ?? 0 }) : ""}
        end={isOpen ? () => controller.current.abort() : undefined}
      />
      {failure !== undefined && (
        <p class="form-error" role="alert">
          {failure}
        </p>
      )}
      {isStream ? (
        <Traffic name={t("try.eventsOf", { name })} passed={passed} />
      ) : (
        <AnswerBody name={t("try.answerTo", { name })} text={text} />
      )}
    </div>
  );
}

function toneOf(status: number): Tone {
  return status < 300 ? "good" : status < 400 ? "warn" : "bad";
}

interface Listener {
  /** Called with the response. Returns whether it is an event stream. */
  readonly begins: (response: Response) => boolean;
  readonly text: (part: string) => void;
  readonly events: (events: readonly Omit<Passed, "number" | "at">[]) => void;
}

async function follow(
  { address, method, headers, body }: TriedRequest,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> {
  const response = await fetch(address, {
    method,
    signal,
    credentials: "omit",
    headers,
    ...(body !== "" && { body }),
  });
  const isStream = listener.begins(response);
  let events: Omit<Passed, "number" | "at">[] = [];
  let broken: Error | undefined;
  // https://html.spec.whatwg.org/multipage/server-sent-events.html: unknown fields are ignored.
  const parser = createParser({
    maxBufferSize: mostKept,
    onEvent: ({ event = "", id = "", data }) => events.push({ direction: "received", event, id, data }),
    onComment: (data) => events.push({ direction: "received", event: "comment", id: "", data }),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") broken = error;
    },
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    if (!isStream) {
      listener.text(part.value);
      continue;
    }
    parser.feed(part.value);
    // An event that exceeds the maximum size ends the connection.
    if (broken !== undefined) throw broken;
    if (events.length > 0) listener.events(events);
    events = [];
  }
}
