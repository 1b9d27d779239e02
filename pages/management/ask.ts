// Requests to the interface at `/api`, with a key that is kept in memory and nowhere else.

import { type Answer, ask, askFor, type Question, type Refusal } from "../kit/requests.ts";

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

let key = "";

/** Forgets the key, or keeps another. */
export function useKey(given: string): void {
  key = given;
}

export function hasKey(): boolean {
  return key !== "";
}

/** Sends a request to the service; rejects with a `Refusal` where the status is not 2xx. */
export function askService(method: string, path: string, question?: Question): Promise<Answer> {
  return ask(method, `/api${path}`, withKey(question));
}

/** The same where the answer is JSON of that shape. */
export function askServiceFor<T>(method: string, path: string, question?: Question): Promise<T> {
  return askFor<T>(method, `/api${path}`, withKey(question));
}

function withKey(question: Question = {}): Question {
  return { ...question, headers: { authorization: key, ...question.headers } };
}

/** What the service found in a definition that it refused. */
export function problemsOf({ errors }: Refusal): readonly Problem[] {
  // Errors that are objects are diagnostics.
  return errors as readonly Problem[];
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
