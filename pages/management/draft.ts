// The definition being edited: whether there are unsaved changes, and how it is saved.

import { signal } from "@preact/signals";
import { choose } from "../kit/dialogs.tsx";
import { draftAt } from "../kit/drafts.tsx";
import { contentOf, Refusal } from "../kit/requests.ts";
import { linkTo } from "../kit/router.ts";
import { definitionType } from "./checking.ts";
import { askService, hasErrors, type Problem, problemsOf } from "./service.ts";

/** Whether there are unsaved changes. */
export const isChanged = signal(false);

/** The API being edited; `id` is `undefined` for a new one. */
export interface Draft {
  readonly id: string | undefined;
  /** The entity tag of the version on which the text is based. */
  readonly etag: string | undefined;
}

/** A changed text, and what it is based on. */
interface UnsavedText {
  readonly text: string;
  readonly draft: Draft;
}

/** Returns the text of an API that was not saved when a session ended. A reload asks before it discards a text. */
export function unsavedText(id: string | undefined) {
  const view = id === undefined ? linkTo("new") : linkTo("api", id);
  return draftAt<UnsavedText | null>(view, "definition", null);
}

/** The result of saving. */
export type Saved =
  | { readonly outcome: "saved"; readonly id: string; readonly etag: string | undefined }
  | { readonly outcome: "refused"; readonly problems: readonly Problem[] }
  | { readonly outcome: "theirs" | "kept" };

/** Asks whether unsaved changes may be discarded, if there are any. */
export async function mayLeave(): Promise<boolean> {
  if (!isChanged.value) return true;
  const answer = await choose("Leave without saving?", "The definition was changed.", [
    { value: "", text: "Stay" },
    { value: "leave", text: "Discard changes", look: "danger" },
  ]);
  return answer === "leave";
}

/** Returns a definition as it was uploaded. */
export async function readDefinition(id: string): Promise<{ text: string; etag: string | undefined }> {
  const { text, etag } = await askService("GET", pathOf(id));
  return { text, etag };
}

/** Saves a text. A concurrent change is overwritten only if the user confirms it. */
export async function saveDraft(text: string, draft: Draft): Promise<Saved> {
  try {
    return { outcome: "saved", ...(await sendDraft(text, draft)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status === 412 && draft.id !== undefined) return settleConflict(text, draft.id);
    const problems = problemsOf(error);
    if (hasErrors(problems)) return { outcome: "refused", problems };
    throw error;
  }
}

/** Returns the version number in an entity tag. */
export function versionOf(etag: string | undefined): string {
  const [, version] = /^"(\d+)-/.exec(etag ?? "") ?? [];
  return version === undefined ? "" : `version ${version}`;
}

/** Deletes an API. */
export async function deleteApi({ id = "", etag }: Draft): Promise<void> {
  await askService("DELETE", pathOf(id), { headers: matching(etag) });
}

async function settleConflict(text: string, id: string): Promise<Saved> {
  const answer = await choose(
    "Someone else has changed this API",
    "It has changed since you opened it. Nothing has been saved yet.",
    [
      { value: "", text: "Keep editing" },
      { value: "theirs", text: "Discard mine, show theirs" },
      { value: "mine", text: "Overwrite with mine", look: "danger" },
    ],
  );
  if (answer === "theirs") return { outcome: "theirs" };
  if (answer !== "mine") return { outcome: "kept" };
  const { etag } = await readDefinition(id);
  return saveDraft(text, { id, etag });
}

async function sendDraft(
  body: string,
  { id, etag }: Draft,
): Promise<{ id: string; etag: string | undefined }> {
  const question = { body, type: definitionType };
  if (id === undefined) {
    const made = await askService("POST", "/apis/streams", question);
    return { id: contentOf<{ readonly ID: string }>(made).ID, etag: made.etag };
  }
  const changed = await askService("PUT", pathOf(id), { ...question, headers: matching(etag) });
  return { id, etag: changed.etag };
}

/** Returns the header for a change of what was read with this entity tag. */
export function matching(etag: string | undefined): Readonly<Record<string, string>> {
  return etag === undefined ? {} : { "if-match": etag };
}

function pathOf(id: string): string {
  return `/apis/streams/${encodeURIComponent(id)}`;
}
