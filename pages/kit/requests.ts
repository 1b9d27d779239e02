// Requests of a page to the server that it came from.

import { languageTag, t, understood } from "./messages.ts";

/** A request that the server refused, in the server's words. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  /** Each thing that is wrong, as far as it is more than a text. */
  readonly errors: readonly object[];
  /** Each thing that is wrong, as far as it is a text, such as `email: …`. */
  readonly words: readonly string[];

  constructor(status: number, message: string, errors: readonly object[], words: readonly string[] = []) {
    super([understood(message), ...words.map(understoodProblem)].join(" "));
    this.status = status;
    this.errors = errors;
    this.words = words;
  }
}

/** A response that was read. */
export interface Answer {
  readonly status: number;
  readonly isOk: boolean;
  readonly text: string;
  readonly etag: string | undefined;
}

/** What a request carries beside its method and address. */
export interface Question {
  /** Sent as it is. */
  readonly body?: string;
  /** Of the body; JSON where it is absent. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request past every cache; rejects only where no response comes. */
export async function send(method: string, address: string, question: Question = {}): Promise<Answer> {
  const { body, type = "application/json", headers = {}, signal } = question;
  const response = await fetch(address, {
    method,
    cache: "no-store",
    // Answers that have words for people are in the language of the page.
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

/** Sends a request; rejects with a `Refusal` where the status is not 2xx. */
export async function ask(method: string, address: string, question?: Question): Promise<Answer> {
  const answer = await send(method, address, question);
  if (!answer.isOk) throw refusalOf(answer);
  return answer;
}

/** The same where the answer is JSON of that shape. */
export async function askFor<T>(method: string, address: string, question?: Question): Promise<T> {
  // The server is the one that this page came from.
  return JSON.parse((await ask(method, address, question)).text) as T;
}

/** Such as `email: Does not match …`, whose field keeps its name. */
function understoodProblem(problem: string): string {
  return problem.replace(/^((?:\w+\.)*\w+: )?(.+)$/s, (_, field: string | undefined, words: string) => {
    return `${field ?? ""}${understood(words)}`;
  });
}

function refusalOf({ status, text }: Answer): Refusal {
  const { Message = t("kit.status", { status }), Errors = [] } = parsed(text);
  const errors = Errors.filter((each) => typeof each === "object");
  const words = Errors.filter((each) => typeof each === "string");
  return new Refusal(status, Message, errors, words);
}

/** A proxy between the page and its server may answer something else. */
function parsed(text: string): { Message?: string; Errors?: readonly (string | object)[] } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
