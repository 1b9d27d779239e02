import { Queue } from "./queue.ts";
import { type UntilOptions, within } from "./wait.ts";

/** A dispatched event, as the WHATWG HTML standard defines it. */
export interface ServerSentEvent {
  /** `message` unless the stream names another type. */
  readonly event: string;
  readonly data: string;
  /** The last `id` received up to this event; empty if there was none. */
  readonly id: string;
}

/** A client of one event stream. */
export interface SseClient {
  readonly response: Response;
  /** Waits for the next event; rejects if the stream ends before one arrives. */
  next(options?: UntilOptions): Promise<ServerSentEvent>;
  /** Waits for the next `count` events and returns their data. */
  take(count: number, options?: UntilOptions): Promise<string[]>;
  /** All events so far. */
  readonly events: readonly ServerSentEvent[];
  /** All comment lines so far (heartbeats), without the colon. */
  readonly comments: readonly string[];
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  /** Aborts the connection. */
  close(): void;
}

/** Opens an event stream; rejects unless the response is 200 with `text/event-stream`. */
export async function sse(url: string, init: RequestInit = {}): Promise<SseClient> {
  const abort = new AbortController();
  const headers = new Headers(init.headers);
  if (!headers.has("accept")) headers.set("accept", "text/event-stream");
  const opening = fetch(url, { ...init, headers, signal: abort.signal });
  const response = await within(opening, { what: `a response from ${url}` });
  const type = response.headers.get("content-type") ?? "";
  if (response.status !== 200 || !type.startsWith("text/event-stream") || response.body === null) {
    throw new Error(`no event stream at ${url}: ${response.status} ${type}: ${await response.text()}`);
  }
  const events = new Queue<ServerSentEvent>();
  const comments: string[] = [];
  const ended = readEvents(response.body, events, comments, abort.signal);
  return {
    response,
    next: (options) => events.next({ what: `an event from ${url}`, ...options }),
    take: async (count, options) => (await events.take(count, options)).map(({ data }) => data),
    events: events.all,
    comments,
    ended,
    close: () => abort.abort(),
  };
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  events: Queue<ServerSentEvent>,
  comments: string[],
  signal: AbortSignal,
): Promise<void> {
  const parser = createParser((event) => events.push(event), comments);
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) parser(decoder.decode(chunk, { stream: true }));
    events.close("the event stream ended");
  } catch (error) {
    events.close(`the event stream broke off: ${String(error)}`);
    if (!signal.aborted) throw error;
  }
}

function createParser(
  dispatch: (event: ServerSentEvent) => void,
  comments: string[],
): (text: string) => void {
  let rest = "";
  let event = "";
  let data: string[] = [];
  let id = "";
  const endEvent = () => {
    if (data.length > 0) dispatch({ event: event || "message", data: data.join("\n"), id });
    event = "";
    data = [];
  };
  const readLine = (line: string) => {
    if (line === "") return endEvent();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "") comments.push(value);
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id") id = value;
  };
  return (text) => {
    // A CR at the end may be the first half of CRLF: it stays in `rest` until the next chunk.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) readLine(line);
  };
}
