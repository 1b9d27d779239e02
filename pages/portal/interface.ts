// Who is there, and requests in that name: developers by the cookie that logging in set, administrators by a token that is
// kept in memory only.

import { signal } from "@preact/signals";
import type { DeveloperName } from "../../runtime/portal/page/own-records.ts";
import { ask, askFor, Refusal } from "../kit/requests.ts";
import { findSignedOn, isSignOnOffered, signOut } from "../kit/sign-on.tsx";

/** What a list is answered with. */
export interface Listed<T> {
  readonly Data: readonly T[];
  readonly Pages: number;
}

/** What a write is answered with; `Meta` is a credential where one was made. */
export interface Written {
  readonly Message: string;
  readonly Meta: Readonly<Record<string, string>> | null;
}

/** A person who has logged in. */
export type Person =
  | { readonly kind: "developer"; readonly name: string }
  /** The token is empty where a cookie stands for it. */
  | { readonly kind: "administrator"; readonly token: string };

/** The person who has logged in; `undefined` without a session. */
export const person = signal<Person | undefined>(undefined);

/** Whether the last session has expired. */
export const hasExpired = signal(false);

/** Sends a request about what is the developer's own. */
export function askOwn<T>(method: string, path: string, body?: object): Promise<T> {
  return noticing(askFor<T>(method, `own${path}`, body && { body: JSON.stringify(body) }));
}

/** Sends a request to the interface of administrators. */
export function askPortal<T>(method: string, path: string, body?: object): Promise<T> {
  const token = person.value?.kind === "administrator" ? person.value.token : "";
  return noticing(askWith<T>(token, method, path, body));
}

function askWith<T>(token: string, method: string, path: string, body?: object): Promise<T> {
  return askFor<T>(method, `/api/portal${path}`, {
    ...(token !== "" && { headers: { authorization: token } }),
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** A session that has ended leads to the log-in. */
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
  person.value = who;
}

function isUnknown(error: unknown): boolean {
  return error instanceof Refusal && error.status === 401;
}

/** Lets a developer in. */
export async function logIn(username: string, password: string): Promise<void> {
  const body = JSON.stringify({ username, password });
  const { Message } = await askFor<Written>("POST", "entrance/login", { body });
  enter({ kind: "developer", name: Message });
}

/** Changes a password, also one that is too old to log in with. */
export async function changePassword(values: Readonly<Record<string, string>>): Promise<void> {
  await ask("POST", "entrance/password", { body: JSON.stringify(values) });
}

/** Lets an administrator in, where the portal takes the token. */
export async function enterToken(token: string): Promise<void> {
  await askWith(token, "GET", "/requests?page_size=1");
  enter({ kind: "administrator", token });
}

/** Shows what the browser has a session for from before. */
export async function resumeSession(): Promise<void> {
  const { role } = await findSignedOn("sign-in");
  if (role === "administrator") {
    enter({ kind: "administrator", token: "" });
    return;
  }
  // The server has already said that there is no session.
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
  const { role } = await findSignedOn("sign-in");
  if (role !== null) {
    await signOut("sign-in");
    return;
  }
  if (person.value?.kind === "developer") await ask("DELETE", "entrance/login");
  person.value = undefined;
  location.hash = "";
}
