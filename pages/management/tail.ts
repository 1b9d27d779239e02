// Messages of one stream while they pass, the newest first.

import { byId, element } from "../kit/elements.ts";
import { say } from "../kit/messages.ts";
import { Refusal } from "../kit/requests.ts";
import { askService, askServiceFor } from "./ask.ts";

/** A message as the service shows it. */
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

/** Messages that are shown; older ones go. */
const most = 100;
/** Seconds that the service may wait for a message. */
const wait = 10;
/** Milliseconds between two questions, so that a busy stream is shown once a second. */
const interval = 1_000;

let watching: AbortController | undefined;

/** Shows messages of a stream until `stopTail`, or until another one is shown. Rejects with what the service refuses. */
export async function startTail(api: string, stream: string): Promise<void> {
  stopTail();
  const path = `/streams/${[api, stream].map(encodeURIComponent).join("/")}/tail`;
  const own = new AbortController();
  watching = own;
  await askService("POST", path, { signal: own.signal });
  byId("tail-title").textContent = `Messages of ${stream}`;
  byId("messages").replaceChildren();
  byId("missed").textContent =
    "Waiting for messages; it may take ten seconds where nothing has passed lately.";
  byId("tail").hidden = false;
  byId("tail-title").focus();
  void follow(path, own.signal);
}

/** Looks no longer; what is shown goes. */
export function stopTail(): void {
  watching?.abort();
  watching = undefined;
  byId("tail").hidden = true;
  byId("messages").replaceChildren();
}

async function follow(path: string, signal: AbortSignal): Promise<void> {
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
      await pause(signal);
    } catch (error) {
      if (signal.aborted) return;
      say(error instanceof Error ? error.message : String(error), true);
      if (error instanceof Refusal) return stopTail();
      await pause(signal);
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, interval);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

function show(messages: readonly ShownMessage[], missed: number): void {
  const list = byId("messages");
  list.prepend(...messages.toReversed().map(itemOf));
  while (list.children.length > most) list.lastElementChild?.remove();
  if (missed > 0)
    byId("missed").textContent = `${missed.toLocaleString("en")} more have passed without being shown.`;
  else if (list.children.length > 0) byId("missed").textContent = "";
}

function itemOf({ at, gateway, content, isCut, size, metadata, isDeadLetter }: ShownMessage): HTMLElement {
  const when = element("time", new Date(at).toLocaleTimeString());
  when.dateTime = at;
  const words = [gateway, `${size.toLocaleString("en")} bytes`, ...(isDeadLetter ? ["dead letter"] : [])];
  const head = element("p", when, ` ${words.join(", ")}`);
  head.className = "note";
  const text = content === "" ? "" : `${content}${isCut ? " …" : ""}`;
  const body =
    content === "" && size > 0 ? element("p", "Not shown: too large, or no text.") : element("pre", text);
  const entries = Object.entries(metadata);
  const names = element(
    "dl",
    ...entries.flatMap(([name, value]) => [element("dt", name), element("dd", value)]),
  );
  const more = element("details", element("summary", `Metadata (${entries.length})`), names);
  return element("li", head, body, ...(entries.length === 0 ? [] : [more]));
}
