// Shows the messages of a stream while they pass, the newest first.

import { useEffect, useRef, useState } from "preact/hooks";
import { Facts, Time } from "../kit/parts.tsx";
import { Refusal } from "../kit/requests.ts";
import { messageOf, say } from "../kit/toasts.tsx";
import { askService, askServiceFor } from "./service.ts";

/** A message in the response of the service. */
interface ShownMessage {
  readonly number: number;
  readonly at: string;
  readonly gateway: string;
  readonly content: string;
  readonly isCut: boolean;
  readonly size: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly isDeadLetter: boolean;
}

/** Maximum number of messages shown; older ones are dropped. */
const most = 100;
/** Seconds that the service may wait for a message. */
const wait = 10;
/** Milliseconds between two requests, so that a busy stream is updated once per second. */
const interval = 1_000;

/** Shows messages of a stream until it is closed. Closes if the service refuses the request. */
export function Tail(options: { readonly api: string; readonly stream: string; readonly close: () => void }) {
  const { api, stream, close } = options;
  const [messages, setMessages] = useState<readonly ShownMessage[]>([]);
  const [missed, setMissed] = useState(0);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const own = new AbortController();
    title.current?.focus();
    void follow(api, stream, own.signal, (fresh, count) => {
      setMessages((before) => [...fresh.toReversed(), ...before].slice(0, most));
      setMissed(count);
    }).catch((error: unknown) => {
      if (own.signal.aborted) return;
      say(messageOf(error), true);
      close();
    });
    return () => own.abort();
  }, [api, stream]);
  return (
    <section class="card" aria-labelledby="tail-title" id="tail">
      <div class="bar">
        <h2 id="tail-title" tabIndex={-1} ref={title}>
          Messages of {stream}
        </h2>
        <button id="stop-tail" type="button" onClick={close}>
          Stop watching
        </button>
      </div>
      <p id="missed" role="status" class="note">
        {missed > 0
          ? `${missed.toLocaleString()} more have passed without being shown.`
          : messages.length === 0
            ? "Waiting for messages; it may take ten seconds where nothing has passed lately."
            : ""}
      </p>
      <ol
        id="messages"
        aria-labelledby="tail-title"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it, WCAG 2.1.1
        tabIndex={0}
      >
        {messages.map((message) => (
          <Item key={message.number} message={message} />
        ))}
      </ol>
    </section>
  );
}

async function follow(
  api: string,
  stream: string,
  signal: AbortSignal,
  show: (messages: readonly ShownMessage[], missed: number) => void,
): Promise<void> {
  const path = `/streams/${[api, stream].map(encodeURIComponent).join("/")}/tail`;
  await askService("POST", path, { signal });
  let after = 0;
  while (!signal.aborted) {
    try {
      const query = new URLSearchParams({ after: String(after), wait: String(wait) });
      const { Data, Missed } = await askServiceFor<{ Data: readonly ShownMessage[]; Missed: number }>(
        "GET",
        `${path}?${query}`,
        { signal },
      );
      if (signal.aborted) return;
      show(Data, Missed);
      after = Data.at(-1)?.number ?? after;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // The next request may succeed.
      if (!signal.aborted) say(messageOf(error), true);
    }
    await pause(signal);
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, interval);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}

function Item({ message }: { readonly message: ShownMessage }) {
  const { at, gateway, content, isCut, size, metadata, isDeadLetter } = message;
  const words = [gateway, `${size.toLocaleString()} bytes`, ...(isDeadLetter ? ["dead letter"] : [])];
  const entries = Object.entries(metadata);
  return (
    <li>
      <p class="note">
        <Time at={at} only="time" /> {words.join(", ")}
      </p>
      {content === "" && size > 0 ? (
        <p>Not shown: too large, or no text.</p>
      ) : (
        <pre>
          {content}
          {isCut ? " …" : ""}
        </pre>
      )}
      {entries.length > 0 && (
        <details>
          <summary>Metadata ({entries.length})</summary>
          <Facts entries={entries} />
        </details>
      )}
    </li>
  );
}
