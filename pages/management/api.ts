// One API: its definition in the editor, what is wrong with it, its streams and their pictures.

import type { Drawing } from "../../management/drawing/drawing.ts";
import { choose } from "../kit/dialogs.ts";
import { byId } from "../kit/elements.ts";
import { attempt, say } from "../kit/messages.ts";
import { Refusal } from "../kit/requests.ts";
import { rename } from "./address.ts";
import { askService, askServiceFor, type Problem, problemsOf } from "./ask.ts";
import { createChecker, definitionType } from "./checking.ts";
import { createEditor } from "./editor.ts";
import { firstDefinition } from "./first-definition.ts";
import { hasErrors, showProblems } from "./problems.ts";
import { publish } from "./publishing.ts";
import { showRoutes } from "./routes.ts";
import { showStreams } from "./stream-table.ts";
import { stopTail } from "./tail.ts";
import { showDrawings } from "./topology.ts";

/** What is shown: an API, or one that is not there yet. */
interface Shown {
  readonly id: string | undefined;
  /** Of the version that the text was made from. */
  etag: string | undefined;
  isChanged: boolean;
}

let shown: Shown = { id: undefined, etag: undefined, isChanged: false };

const editor = createEditor(byId("editor"), {
  changed() {
    shown.isChanged = true;
    byId<HTMLButtonElement>("save").disabled = false;
    checker.soon();
  },
  save: () => void attempt(save),
});

const checker = createChecker({
  text: editor.text,
  api: () => shown.id,
  begins() {
    byId("summary").textContent = "Checking…";
    byId("summary").className = "note";
    void attemptQuietly(draw);
  },
  tell(checked) {
    editor.show(checked.problems);
    showProblems(checked, goTo);
    showRoutes(checked.routes);
  },
});

/** Whether something would be lost by leaving. */
export function isChanged(): boolean {
  return shown.isChanged;
}

/** Leaves the API that is shown. */
export function leaveApi(): void {
  checker.stop();
  stopTail();
  shown = { id: undefined, etag: undefined, isChanged: false };
}

/** Shows an API; a new one where there is no id. */
export async function openApi(id: string | undefined): Promise<void> {
  leaveApi();
  const { text, etag } = id === undefined ? { text: firstDefinition, etag: undefined } : await read(id);
  shown = { id, etag, isChanged: false };
  editor.load(text);
  byId("api-title").textContent = id ?? "New API";
  byId("version").textContent = versionOf(etag);
  byId<HTMLButtonElement>("save").disabled = id !== undefined;
  for (const name of ["publish", "delete", "streams"]) byId(name).hidden = id === undefined;
  byId("pictures").replaceChildren();
  showProblems({ problems: [] }, goTo);
  showRoutes(undefined);
  checker.soon();
  await refreshApi();
}

/** Shows what the streams of the API do now. */
export async function refreshApi(): Promise<void> {
  if (shown.id !== undefined) await showStreams(shown.id);
}

function read(id: string) {
  return askService("GET", `/apis/streams/${encodeURIComponent(id)}`);
}

function versionOf(etag: string | undefined): string {
  const [, version] = /^"(\d+)-/.exec(etag ?? "") ?? [];
  return version === undefined ? "" : `version ${version}`;
}

function goTo({ line, column }: Pick<Problem, "line" | "column">): void {
  editor.goTo(line, column);
}

async function draw(): Promise<void> {
  const text = editor.text();
  const { Data } = await askServiceFor<{ Data: readonly Drawing[] }>("POST", "/apis/streams/topology", {
    body: text,
    type: definitionType,
  });
  if (text === editor.text()) showDrawings(byId("pictures"), Data, goTo);
}

/** A picture that cannot be drawn takes nothing away; what is wrong is told by the check. */
async function attemptQuietly(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch {
    byId("pictures").replaceChildren();
  }
}

async function save(): Promise<void> {
  const text = editor.text();
  const own = shown;
  try {
    const { id, etag } = await send(text, own);
    if (shown !== own) return;
    const isSame = text === editor.text();
    shown = { id, etag, isChanged: !isSame };
    byId<HTMLButtonElement>("save").disabled = isSame;
    byId("version").textContent = versionOf(etag);
    say(own.id === undefined ? "The API is created, and goes live." : "Saved; the new version goes live.");
    if (own.id === undefined) await nowThere(id);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 412) return settleConflict(own);
    const problems = problemsOf(error);
    if (hasErrors(problems)) {
      editor.show(problems);
      showProblems({ problems }, goTo);
      throw new Error("Not saved: the definition has errors.");
    }
    throw error;
  }
}

/** A new API has got its id. */
async function nowThere(id: string): Promise<void> {
  rename(`#api/${encodeURIComponent(id)}`);
  byId("api-title").textContent = id;
  for (const name of ["publish", "delete", "streams"]) byId(name).hidden = false;
  await refreshApi();
}

async function send(body: string, { id, etag }: Shown): Promise<{ id: string; etag: string | undefined }> {
  const question = { body, type: definitionType };
  if (id === undefined) {
    const made = await askService("POST", "/apis/streams", question);
    const { ID }: { ID: string } = JSON.parse(made.text);
    return { id: ID, etag: made.etag };
  }
  const headers: Record<string, string> = etag === undefined ? {} : { "if-match": etag };
  const changed = await askService("PUT", `/apis/streams/${encodeURIComponent(id)}`, {
    ...question,
    headers,
  });
  return { id, etag: changed.etag };
}

async function settleConflict(own: Shown): Promise<void> {
  const answer = await choose(
    "Somebody else has changed this API",
    "It is not the version any more that you began with. Nothing was saved yet.",
    [
      ["mine", "Save mine over it"],
      ["theirs", "Show theirs, drop mine"],
      ["", "Go on writing"],
    ],
  );
  if (shown !== own || own.id === undefined || answer === "") return;
  if (answer === "theirs") return openApi(own.id);
  own.etag = (await read(own.id)).etag;
  await save();
}

async function remove(): Promise<void> {
  const { id, etag } = shown;
  if (id === undefined) return;
  const answer = await choose("Delete this API?", "Its streams end when what is in flight is done.", [
    ["yes", "Delete it"],
    ["", "Keep it"],
  ]);
  if (answer !== "yes") return;
  const headers: Record<string, string> = etag === undefined ? {} : { "if-match": etag };
  await askService("DELETE", `/apis/streams/${encodeURIComponent(id)}`, { headers });
  leaveApi();
  location.hash = "";
  say("Deleted.");
}

byId("stop-tail").addEventListener("click", stopTail);
byId("save").addEventListener("click", () => attempt(save));
byId("delete").addEventListener("click", () => attempt(remove));
byId("publish").addEventListener("click", () =>
  attempt(async () => {
    if (shown.id !== undefined) await publish(shown.id);
  }),
);
