// The session and its requests: developers use the cookie set by logging in, administrators a token that is
// kept only in memory.

import { signal } from "@preact/signals";
import type { DeveloperName } from "../../runtime/portal/page/own-records.ts";
import { forgetDrafts, keepDraftsOf } from "../kit/drafts.tsx";
import { ask, askFor, type Question, Refusal } from "../kit/requests.ts";
import { findSignedOn, isSignOnOffered, signOut } from "../kit/sign-on.tsx";

/** The response to a list request. */
export interface Listed<T> {
  readonly Data: readonly T[];
  readonly Pages: number;
}

/** The response to a write request; `Meta` is a credential if one was created. */
export interface Written {
  readonly Message: string;
  readonly Meta: Readonly<Record<string, string>> | null;
}

/** A logged-in user. */
export type Person =
  | { readonly kind: "developer"; readonly name: string }
  /** The token is empty if a cookie is used instead. */
  | { readonly kind: "administrator"; readonly token: string };

/** The logged-in user; `undefined` without a session. */
export const person = signal<Person | undefined>(undefined);

/** Whether the last session has expired. */
export const hasExpired = signal(false);

/** Sends a request about the developer's own records. */
export function askOwn<T>(method: string, path: string, body?: object): Promise<T> {
  return noticing(askFor<T>(method, `own${path}`, body && { body: JSON.stringify(body) }));
}

/** Sends a request to the administrators' API. */
export function askPortal<T>(
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<T> {
  return noticing(askFor<T>(method, `/api/portal${path}`, questionOf(tokenOf(), body, headers)));
}

/** Reads a document by the administrators' API, with its entity tag. */
export async function askTagged<T>(
  path: string,
): Promise<{ readonly document: T; readonly etag: string | undefined }> {
  const { text, etag } = await noticing(ask("GET", `/api/portal${path}`, questionOf(tokenOf())));
  return { document: JSON.parse(text) as T, etag };
}

function tokenOf(): string {
  return person.value?.kind === "administrator" ? person.value.token : "";
}

function questionOf(token: string, body?: object, headers: Readonly<Record<string, string>> = {}): Question {
  return {
    headers: { ...headers, ...(token !== "" && { authorization: token }) },
    ...(body && { body: JSON.stringify(body) }),
  };
}

/** Waits for a response. If the session has ended, shows the log-in page. */
async function noticing<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (isUnknown(error)) {
      hasExpired.value = person.value !== undefined || hasExpired.value;
      person.value = undefined;
    }
    throw error;
  }
}

function enter(who: Person): void {
  hasExpired.value = false;
  keepDraftsOf(who.kind === "developer" ? who.name : who.kind);
  person.value = who;
}

function isUnknown(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401;
}

/** Logs a developer in. */
export async function logIn(username: string, password: string): Promise<void> {
  const body = JSON.stringify({ username, password });
  const { Message } = await askFor<Written>("POST", "entrance/login", { body });
  enter({ kind: "developer", name: Message });
}

/** Changes a password, including an expired one that no longer allows logging in. */
export async function changePassword(values: Readonly<Record<string, string>>): Promise<void> {
  await ask("POST", "entrance/password", { body: JSON.stringify(values) });
}

/** Logs an administrator in if the portal accepts the token. */
export async function enterToken(token: string): Promise<void> {
  await askFor("GET", "/api/portal/requests?page_size=1", questionOf(token));
  enter({ kind: "administrator", token });
}

/** Resumes an existing session of the browser. */
export async function resumeSession(): Promise<void> {
  const { role } = await findSignedOn("sign-in");
  if (role === "administrator") {
    enter({ kind: "administrator", token: "" });
    return;
  }
  // The server has already responded that there is no session.
  if (isSignOnOffered && role === null) return;
  try {
    const { email } = await askFor<DeveloperName>("GET", "own/me");
    enter({ kind: "developer", name: email });
  } catch (error) {
    if (!isUnknown(error)) throw error;
  }
}

/** Ends the session, or forgets the token. */
export async function leave(): Promise<void> {
  forgetDrafts();
  const { role } = await findSignedOn("sign-in");
  if (role !== null) {
    await signOut("sign-in");
    return;
  }
  if (person.value?.kind === "developer") await ask("DELETE", "entrance/login");
  person.value = undefined;
  location.hash = "";
}
