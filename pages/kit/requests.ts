// Sends requests of a page to the server that served it.

import { languageTag, t, understood } from "./messages.ts";

/** The server refused a request. The message is the server's. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** The errors that are objects. */
  readonly errors: readonly object[];
  /** The errors that are texts, such as `email: …`. */
  readonly words: readonly string[];

  constructor(status: number, message: string, errors: readonly object[], words: readonly string[] = []) {
    super([understood(message), ...words.map(understoodProblem)].join(" "));
    this.status = status;
    this.errors = errors;
    this.words = words;
  }
}

/** A response whose body was read. */
export interface Answer {
  readonly status: number;
  readonly isOk: boolean;
  readonly text: string;
  readonly etag: string | undefined;
}

/** The options of a request. */
export interface Question {
  /** The body, sent unchanged. */
  readonly body?: string;
  /** The media type of the body; JSON by default. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request, bypassing caches. Rejects only if there is no response. */
export async function send(method: string, address: string, question: Question = {}): Promise<Answer> {
  try {
    return await sendOnce(method, address, question);
  } catch (error) {
    // Browsers have different messages for a server that cannot be reached.
    throw error instanceof TypeError ? new Error(t("kit.unreachable"), { cause: error }) : error;
  }
}

async function sendOnce(method: string, address: string, question: Question): Promise<Answer> {
  const { body, type = "application/json", headers = {}, signal } = question;
  const response = await fetch(address, {
    method,
    cache: "no-store",
    // Texts for people in responses are in the language of the page.
    headers: {
      "accept-language": languageTag(),
      ...(body !== undefined && { "content-type": type }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  const { status, ok: isOk } = response;
  return { status, isOk, text: await response.text(), etag: response.headers.get("etag") ?? undefined };
}

/** Sends a request. Rejects with a `Refusal` if the status is not 2xx. */
export async function ask(method: string, address: string, question?: Question): Promise<Answer> {
  const answer = await send(method, address, question);
  if (!answer.isOk) throw refusalOf(answer);
  return answer;
}

/** Like `ask`, for a response with JSON of type `T`. */
export async function askFor<T>(method: string, address: string, question?: Question): Promise<T> {
  return contentOf<T>(await ask(method, address, question));
}

/** Returns the JSON in a response. A proxy in front of the server may send something that is not JSON. */
export function contentOf<T>({ text }: Answer): T {
  try {
    // The response comes from the server that served this page.
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Error(t("kit.unexpected"), { cause });
  }
}

/** Translates an error such as `email: Does not match …`, keeping the name of the field. */
function understoodProblem(problem: string): string {
  return problem.replace(/^((?:\w+\.)*\w+: )?(.+)$/s, (_, field: string | undefined, words: string) => {
    return `${field ?? ""}${understood(words)}`;
  });
}

function refusalOf({ status, text }: Answer): Refusal {
  const { Message = t("kit.status", { status }), Errors = [] } = parsed(text) ?? {};
  const errors = Errors.filter((each) => typeof each === "object");
  const words = Errors.filter((each) => typeof each === "string");
  return new Refusal(status, Message, errors, words);
}

/** Parses an error response; `null` if it is `null`, which is JSON, too. */
function parsed(text: string): { Message?: string; Errors?: readonly (string | object)[] } | null {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
