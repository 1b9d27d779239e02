// Sends requests to the API at `/api`, with a key that is kept only in memory.

import { computed, signal } from "@preact/signals";
import { forgetDrafts, keepDraftsOf } from "../kit/drafts.tsx";
import type { ListedPage } from "../kit/paged.ts";
import { type Answer, ask, askFor, type Question, Refusal } from "../kit/requests.ts";
import { findSignedOn, signOut } from "../kit/sign-on.tsx";
import { announceSession, onOtherSession } from "../kit/tabs.ts";
import { orSay } from "../kit/toasts.tsx";

/** A problem in a definition, as reported by the service. Lines and columns count from 1; columns are code points. */
export interface Problem {
  readonly code: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  readonly hint?: string;
  readonly severity: "error" | "warning" | "info";
}

/** A route of a definition, with the callers by verb: names of security schemes, or `open`. */
export interface Route {
  readonly transport: "http" | "websocket";
  readonly path: string;
  readonly version?: string;
  /** Absent if the route leads to the upstream. */
  readonly stream?: string;
  readonly callers: Readonly<Record<string, string>>;
}

/** The response to a write request. */
export interface ServiceAnswer<T> {
  readonly Message: string;
  readonly Meta: T;
}

/** The response to a list request. */
export interface ServiceList<T> {
  readonly Data: readonly T[];
}

/** The key; empty if a cookie is used instead, or without a session. */
const key = signal("");

/** The name of the user who signed in at an identity provider; empty without a session. */
const signedOn = signal("");

/** Whether there is a session. */
export const isEntered = computed(() => key.value !== "" || signedOn.value !== "");

/** The name of the user, if known. */
export const visitor = computed(() => signedOn.value);

/** Resumes an existing session of the browser. */
export async function resumeSignOn(): Promise<void> {
  const { name } = await findSignedOn("sign-in");
  if (name === null) return;
  keepDraftsOf(name);
  signedOn.value = name;
  announceSession(name);
}

// Another user has signed in, or this one has logged out.
onOtherSession(
  () => signedOn.value,
  () => {
    forgetVisitor();
    void orSay(resumeSignOn);
  },
);

/** Forgets the key, or ends the session; then calls `discard` for what was not saved in it. */
export async function leaveService(discard: () => void): Promise<void> {
  const forget = () => {
    discard();
    forgetDrafts();
  };
  if (signedOn.value === "") forget();
  else await signOut("sign-in", forget);
  forgetVisitor();
}

function forgetVisitor(): void {
  key.value = "";
  signedOn.value = "";
}

/** Sends a request to the service. Rejects with a `Refusal` if the status is not 2xx. */
export function askService(method: string, path: string, question?: Question): Promise<Answer> {
  return noticing(ask(method, `/api${path}`, withKey(question)));
}

/** Like `askService`, for a response with JSON of type `T`. */
export function askServiceFor<T>(method: string, path: string, question?: Question): Promise<T> {
  return noticing(askFor<T>(method, `/api${path}`, withKey(question)));
}

/** Returns a function that requests a page of a list. */
export const askPage =
  <T>(path: string, size: number) =>
  (page: number) =>
    askServiceFor<ListedPage<T>>("GET", `${path}?p=${page}&page_size=${size}`);

/** Logs in with a key. Rejects if the service refuses it, or has no streaming APIs. */
export async function enter(given: string): Promise<void> {
  try {
    await askFor("GET", "/api/apis/streams?page_size=1", { headers: { authorization: given } });
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 0;
    if (status === 404) throw new Error("Streaming is switched off at this service.");
    throw status === 401 ? new Error("The service does not take this key.") : error;
  }
  // The owner of the key is not known.
  keepDraftsOf("");
  key.value = given;
}

/** Returns the problems in a definition that the service refused. */
export function problemsOf({ errors }: Refusal): readonly Problem[] {
  // Errors that are objects are diagnostics.
  return errors as readonly Problem[];
}

/** Whether any problem is an error. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function withKey(question: Question = {}): Question {
  const own = key.value === "" ? {} : { authorization: key.value };
  return { ...question, headers: { ...own, ...question.headers } };
}

/** Waits for a response, and forgets a key that is no longer accepted, but not another one that was entered meanwhile. */
async function noticing<T>(response: Promise<T>): Promise<T> {
  const [ownKey, ownName] = [key.value, signedOn.value];
  try {
    return await response;
  } catch (error) {
    const isSame = ownKey === key.value && ownName === signedOn.value;
    if (error instanceof Refusal && error.status === 401 && isSame) forgetVisitor();
    throw error;
  }
}
