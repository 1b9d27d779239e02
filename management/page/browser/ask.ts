// Questions to the interface at `/api`, with a key that is kept in memory and nowhere else.

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

/** What the service refuses. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly problems: readonly Problem[];

  constructor(status: number, message: string, problems: readonly Problem[]) {
    super(message);
    this.status = status;
    this.problems = problems;
  }
}

/** An answer that was no refusal. */
export interface Answered {
  readonly text: string;
  readonly etag: string | undefined;
}

let key = "";

/** Forgets the key, or keeps another. */
export function useKey(given: string): void {
  key = given;
}

export function hasKey(): boolean {
  return key !== "";
}

interface Question {
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Asks; what is refused is thrown as a `Refusal`, in the words of the service. */
export async function ask(method: string, path: string, question: Question = {}): Promise<Answered> {
  const { body, type = "application/json", headers = {}, signal } = question;
  const response = await fetch(`/api${path}`, {
    method,
    cache: "no-store",
    headers: { authorization: key, ...(body !== undefined && { "content-type": type }), ...headers },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  if (response.ok) return { text, etag: response.headers.get("etag") ?? undefined };
  throw refusalOf(response.status, text);
}

/** The same where the answer is JSON of that shape. */
export async function askFor<T>(method: string, path: string, question?: Question): Promise<T> {
  // The service is the one that this page came from.
  return JSON.parse((await ask(method, path, question)).text) as T;
}

function refusalOf(status: number, text: string): Refusal {
  const { Message = `The answer was ${status}.`, Errors = [] } = parsed(text);
  const problems = Errors.filter((each) => typeof each === "object");
  const words = Errors.filter((each) => typeof each === "string");
  return new Refusal(status, [Message, ...words].join(" "), problems);
}

/** Whatever stands between the page and the service may answer something else. */
function parsed(text: string): { Message?: string; Errors?: readonly (string | Problem)[] } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
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
