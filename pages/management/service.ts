// Requests to the interface at `/api`, with a key that is kept in memory and nowhere else.

import { computed, signal } from "@preact/signals";
import type { ListedPage } from "../kit/paged.ts";
import { type Answer, ask, askFor, type Question, Refusal } from "../kit/requests.ts";
import { findSignedOn, signOut } from "../kit/sign-on.tsx";

/** Something wrong with a definition, as the service says it. Lines and columns count from 1, columns in code points. */
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

/** A route of a definition, with who may call it by verb: schemes by their names, or `open`. */
export interface Route {
  readonly transport: "http" | "websocket";
  readonly path: string;
  readonly version?: string;
  /** Absent where it goes to the upstream. */
  readonly stream?: string;
  readonly callers: Readonly<Record<string, string>>;
}

/** What a write is answered with. */
export interface ServiceAnswer<T> {
  readonly Message: string;
  readonly Meta: T;
}

/** What a list is answered with. */
export interface ServiceList<T> {
  readonly Data: readonly T[];
}

/** The key; empty where a cookie takes its place, or without a session. */
const key = signal("");

/** The name of the person who signed in at a provider; empty without a session. */
const signedOn = signal("");

/** Whether there is a session. */
export const isEntered = computed(() => key.value !== "" || signedOn.value !== "");

/** Who is there, where that has a name. */
export const visitor = computed(() => signedOn.value);

/** Shows what the browser has a session for from before. */
export async function resumeSignOn(): Promise<void> {
  signedOn.value = (await findSignedOn("sign-in")).name ?? "";
}

/** Forgets the key, or ends the session. */
export async function leaveService(): Promise<void> {
  if (signedOn.value !== "") await signOut("sign-in");
  forgetVisitor();
}

function forgetVisitor(): void {
  key.value = "";
  signedOn.value = "";
}

/** Sends a request to the service; rejects with a `Refusal` where the status is not 2xx. */
export function askService(method: string, path: string, question?: Question): Promise<Answer> {
  return noticing(ask(method, `/api${path}`, withKey(question)));
}

/** The same where the answer is JSON of that shape. */
export function askServiceFor<T>(method: string, path: string, question?: Question): Promise<T> {
  return noticing(askFor<T>(method, `/api${path}`, withKey(question)));
}

/** Asks for a page of a list of the service. */
export const askPage =
  <T>(path: string, size: number) =>
  (page: number) =>
    askServiceFor<ListedPage<T>>("GET", `${path}?p=${page}&page_size=${size}`);

/** Enters with a key; rejects where the service does not take it, or has no streaming APIs. */
export async function enter(given: string): Promise<void> {
  try {
    await askFor("GET", "/api/apis/streams?page_size=1", { headers: { authorization: given } });
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 0;
    if (status === 404) throw new Error("Streaming is switched off at this service.");
    throw status === 401 ? new Error("The service does not take this key.") : error;
  }
  key.value = given;
}

/** What the service found in a definition that it refused. */
export function problemsOf({ errors }: Refusal): readonly Problem[] {
  // Errors that are objects are diagnostics.
  return errors as readonly Problem[];
}

/** Whether anything keeps a definition from being taken. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function withKey(question: Question = {}): Question {
  const own = key.value === "" ? {} : { authorization: key.value };
  return { ...question, headers: { ...own, ...question.headers } };
}

/** A key that is not taken any more is forgotten. */
async function noticing<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) forgetVisitor();
    throw error;
  }
}
