// The page for operators: it asks the listener every two seconds, and writes what changed.

import type { RouteRow } from "../../runtime/gateway/admin/route-row.ts";
import type { StreamState } from "../../runtime/stream/stream-state.ts";
import { byId, element, write } from "../kit/elements.ts";
import { send } from "../kit/requests.ts";
import { showRoutes } from "./routes.ts";
import { forgetRates, showStreams } from "./streams.ts";

/** What `/readyz` answers. */
interface Readiness {
  readonly reasons?: readonly string[];
  readonly notes?: readonly string[];
}

/** Milliseconds. */
const period = 2_000;

let timer: ReturnType<typeof setTimeout> | undefined;
let isPaused = false;

/** The JSON of an answer; a gateway that is not ready answers 503. */
async function read<T>(path: string): Promise<T> {
  const { status, isOk, text } = await send("GET", path);
  if (!isOk && status !== 503) throw new Error(`${path} answers ${status}`);
  // The listener is the one that this page came from.
  return JSON.parse(text) as T;
}

function showReadiness({ reasons = [], notes = [] }: Readiness): void {
  const isReady = reasons.length === 0;
  const texts = [...reasons, ...notes];
  write(byId("ready"), isReady ? "Ready" : "Not ready", isReady ? "ok" : "bad");
  const list = byId("reasons");
  list.hidden = texts.length === 0;
  while (list.children.length > texts.length) list.lastElementChild?.remove();
  while (list.children.length < texts.length) list.append(element("li"));
  list.querySelectorAll("li").forEach((item, index) => {
    write(item, texts[index] ?? "");
  });
}

async function refresh(): Promise<void> {
  clearTimeout(timer);
  try {
    const [readiness, { streams }, { routes }] = await Promise.all([
      read<Readiness>("/readyz"),
      read<{ streams: readonly StreamState[] }>("/streams"),
      read<{ routes: readonly RouteRow[] }>("/routes"),
    ]);
    showReadiness(readiness);
    showStreams(streams, performance.now());
    showRoutes(routes);
    write(byId("updated"), `as of ${new Date().toLocaleTimeString()}`);
  } catch {
    // Whatever the reason is, people see it as this; the browser's console has the request that failed.
    write(byId("ready"), "The gateway does not answer", "bad");
    forgetRates();
  }
  if (!isPaused && !document.hidden) timer = setTimeout(refresh, period);
}

byId("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  clearTimeout(timer);
  if (!isPaused) void refresh();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && !isPaused) void refresh();
});
void refresh();
