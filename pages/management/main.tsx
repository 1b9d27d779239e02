// The page from its key to its end: what is shown is what the address says after its `#`.

import { choose } from "../kit/dialogs.ts";
import { byId } from "../kit/elements.ts";
import { attempt, orSay, say } from "../kit/messages.ts";
import { Refusal } from "../kit/requests.ts";
import { isShown, noteNothingShown, noteShown, shownAddress } from "./address.ts";
import { isChanged, leaveApi, openApi, refreshApi } from "./api.ts";
import { showApis } from "./api-list.ts";
import { hasKey, useKey } from "./ask.ts";

type Part = "enter" | "apis" | "api";

/** Milliseconds between two looks at what streams do. */
const interval = 2_000;

let part: Part = "enter";
let timer: ReturnType<typeof setTimeout> | undefined;

function show(next: Part): void {
  part = next;
  for (const id of ["enter", "apis", "api"]) byId(id).hidden = id !== next;
  byId("leave").hidden = next === "enter";
}

/** Shows what the address says; asks before something would be lost. */
async function go(): Promise<void> {
  if (!hasKey() || (isShown() && part !== "enter")) return;
  if (isChanged() && !(await mayDrop())) {
    history.replaceState(undefined, "", shownAddress() || "#");
    return;
  }
  noteShown();
  const [, id] = /^#api\/(.+)$/.exec(shownAddress()) ?? [];
  if (id === undefined && shownAddress() !== "#new") {
    leaveApi();
    await showApis();
    show("apis");
  } else {
    show("api");
    await openApi(id === undefined ? undefined : decodeURIComponent(id));
  }
}

async function mayDrop(): Promise<boolean> {
  const answer = await choose("Leave without saving?", "The definition was changed.", [
    ["leave", "Drop the changes"],
    ["", "Stay"],
  ]);
  return answer === "leave";
}

/** Goes on for as long as the page has a key and is looked at. */
async function refresh(): Promise<void> {
  clearTimeout(timer);
  try {
    if (hasKey() && document.visibilityState === "visible")
      await (part === "apis" ? showApis() : refreshApi());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
    if (error instanceof Refusal && error.status === 401) forget();
  }
  timer = setTimeout(refresh, interval);
}

function forget(): void {
  useKey("");
  leaveApi();
  noteNothingShown();
  show("enter");
}

byId("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = byId<HTMLFormElement>("enter");
  void attempt(async () => {
    useKey(String(new FormData(form).get("key") ?? ""));
    form.reset();
    try {
      await showApis();
    } catch (error) {
      useKey("");
      const isOff = error instanceof Refusal && error.status === 404;
      throw isOff ? new Error("Streaming is switched off at this service.") : error;
    }
    await go();
  });
});
byId("leave").addEventListener("click", () =>
  attempt(async () => {
    if (!isChanged() || (await mayDrop())) forget();
  }),
);
byId("search").addEventListener("input", () => attempt(showApis));
window.addEventListener("hashchange", () => orSay(go));
window.addEventListener("beforeunload", (event) => {
  if (isChanged()) event.preventDefault();
});
void refresh();
