// The session and its requests: developers use the cookie set by logging in, administrators a token that is
// kept only in memory.

import { signal } from "@preact/signals";
import type { DeveloperName } from "../../runtime/portal/page/own-records.ts";
import { forgetDrafts, keepDraftsOf } from "../kit/drafts.tsx";
import { ask, askFor, contentOf, type Question, Refusal } from "../kit/requests.ts";
import { findSignedOn, isSignOnOffered, signOut } from "../kit/sign-on.tsx";
import { announceSession, onOtherSession } from "../kit/tabs.ts";
import { orSay } from "../kit/toasts.tsx";
import { t } from "./messages.ts";

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

/** The entity tags of records that were read. */
const tags = new WeakMap<object, string>();

/**
 * Sends a request about the developer's own records. `read`: the record as it was read; the request is refused if
 * somebody has changed it since.
 */
export function askOwn<T>(method: string, path: string, body?: object, read?: object): Promise<T> {
  return askTagged<T>(method, `own${path}`, questionOf("", body, read));
}

/** Sends a request to the administrators' API. `read`: as for `askOwn`. */
export function askPortal<T>(method: string, path: string, body?: object, read?: object): Promise<T> {
  const token = person.value?.kind === "administrator" ? person.value.token : "";
  return askTagged<T>(method, `/api/portal${path}`, questionOf(token, body, read));
}

async function askTagged<T>(method: string, address: string, question: Question): Promise<T> {
  try {
    const answer = await noticing(ask(method, address, question));
    const content = contentOf<T & object>(answer);
    if (answer.etag !== undefined) tags.set(content, answer.etag);
    return content;
  } catch (error) {
    throw error instanceof Refusal && error.status === 412 ? new Error(t("word.changedMeanwhile")) : error;
  }
}

function questionOf(token: string, body?: object, read?: object): Question {
  const tag = read && tags.get(read);
  return {
    headers: {
      ...(tag !== undefined && { "if-match": tag }),
      ...(token !== "" && { authorization: token }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
}

/** Waits for a response. If the session has ended, shows the log-in page, but not if another one has begun meanwhile. */
async function noticing<T>(response: Promise<T>): Promise<T> {
  const who = person.value;
  try {
    return await response;
  } catch (error) {
    if (isUnknown(error) && person.value === who) expire();
    throw error;
  }
}

function expire(): void {
  hasExpired.value = person.value !== undefined || hasExpired.value;
  person.value = undefined;
}

/** Shows the page to a user who has logged in. */
export function enter(who: Person): void {
  hasExpired.value = false;
  keepDraftsOf(nameOf(who));
  person.value = who;
  if (usesCookie(who)) announceSession(nameOf(who));
}

function nameOf(who: Person): string {
  return who.kind === "developer" ? who.name : who.kind;
}

function usesCookie(who: Person): boolean {
  return who.kind === "developer" || who.token === "";
}

// Another user has logged in, or this one has logged out.
onOtherSession(
  () => (person.value !== undefined && usesCookie(person.value) ? nameOf(person.value) : ""),
  () => {
    expire();
    void orSay(resumeSession);
  },
);

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

/** Ends the session, or forgets the token, which needs no server. */
export async function leave(): Promise<void> {
  if (person.value !== undefined && usesCookie(person.value)) {
    const { role } = await findSignedOn("sign-in");
    if (role !== null) {
      await signOut("sign-in", forgetDrafts);
      return;
    }
  }
  if (person.value?.kind === "developer") {
    await ask("DELETE", "entrance/login");
    announceSession("");
  }
  forgetDrafts();
  person.value = undefined;
  location.hash = "";
}
