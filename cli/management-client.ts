// The client of the management service for the command line.

import { unexpectedStatus, unreachable } from "../compiler/embed/connections/unreachable.ts";

/** A definition returned by the service. */
export interface ServedDefinition {
  readonly text: string;
  readonly isJson: boolean;
  /** The entity tag, for `If-Match`. */
  readonly etag: string;
}

/** The service refused a request or is unreachable. The message is for people. */
export class ManagementFailure extends Error {
  override readonly name = "ManagementFailure";
  /** The status of the response; 0 if there was none. */
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

/** The response of the service after it accepted or refused a definition. */
interface Reply {
  readonly Message?: string;
  readonly Errors?: readonly {
    readonly code?: string;
    readonly line?: number;
    readonly column?: number;
    readonly message?: string;
  }[];
}

/** The definitions of an organisation. */
interface ListedDefinitions {
  readonly apis: readonly { readonly api_definition: { readonly api_id: string } }[];
}

/** A stream of an API. */
export interface StreamName {
  readonly api: string;
  readonly stream: string;
}

/** Messages of a stream that is being watched, and the number of messages that were not shown. */
export interface TailedMessages {
  readonly Data: readonly TailedMessage[];
  readonly Missed: number;
}

/** A message as it was passed to an output. The gateway has masked its secrets. */
export interface TailedMessage {
  /** Sequence number of the message in the stream. */
  readonly number: number;
  /** ISO time. */
  readonly at: string;
  readonly gateway: string;
  readonly content: string;
  readonly isCut: boolean;
  /** Bytes. */
  readonly size: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly isDeadLetter: boolean;
}

/** Options of a request. */
interface Sent {
  readonly text?: string;
  readonly etag?: string;
  readonly signal?: AbortSignal;
  /** Timeout of the response in milliseconds. */
  readonly patience?: number;
}

const definitions = "/apis/streams";

function tailOf({ api, stream }: StreamName): string {
  return `/streams/${encodeURIComponent(api)}/${encodeURIComponent(stream)}/tail`;
}

/** Timeout in milliseconds for requests that compile a definition. */
const compileTime = 120_000;

/** Timeout in milliseconds for all other requests. */
const answerTime = 20_000;

/** What commands say about an address that is not one of a service. */
export const noServiceAddress =
  "expected the address of a management service, such as https://manage.example.com, without credentials";

/**
 * Whether a text is the address of a service. Addresses appear in messages and lists of processes, so credentials do
 * not belong in them.
 */
export function isServiceAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** A client of one service, with the credentials of one key. */
export class ManagementClient {
  readonly #base: string;
  readonly #token: string;

  constructor(server: string, token: string) {
    this.#base = `${server.replace(/\/+$/, "")}/api`;
    this.#token = token;
  }

  /** Returns the ids of all APIs of the organisation, in order. */
  async list(): Promise<readonly string[]> {
    const answer = await this.#ask("GET", `${definitions}?p=-1&sort=name`);
    const { apis } = await this.#read(answer, async () =>
      checked<ListedDefinitions>(await answer.json(), "apis"),
    );
    return apis.map(({ api_definition: { api_id: id } }) => id).toSorted();
  }

  /** Returns a definition as it was uploaded. */
  async read(id: string): Promise<ServedDefinition> {
    const answer = await this.#ask("GET", `${definitions}/${encodeURIComponent(id)}`);
    const type = answer.headers.get("content-type") ?? "";
    return {
      text: await this.#read(answer, () => answer.text()),
      isJson: !type.includes("yaml"),
      etag: answer.headers.get("etag") ?? "",
    };
  }

  /** Rejects with the errors of a definition. `id`: the API that it would replace. */
  async validate(text: string, id: string | undefined): Promise<void> {
    const query = id === undefined ? "" : `?id=${encodeURIComponent(id)}`;
    await this.#ask("POST", `${definitions}/validate${query}`, { text });
  }

  async create(text: string): Promise<void> {
    await this.#ask("POST", definitions, { text });
  }

  /** Replaces the definition that was read with that entity tag. Rejects with status 412 if it has changed since. */
  async replace(id: string, text: string, etag: string): Promise<void> {
    await this.#ask("PUT", `${definitions}/${encodeURIComponent(id)}`, { text, etag });
  }

  async delete(id: string, etag: string): Promise<void> {
    await this.#ask("DELETE", `${definitions}/${encodeURIComponent(id)}`, { etag });
  }

  /** Starts watching the messages of a stream. Rejects with status 403 if the service or the key does not allow it. */
  async beginTail(stream: StreamName, signal: AbortSignal): Promise<void> {
    await this.#ask("POST", tailOf(stream), { signal, patience: answerTime });
  }

  /** Returns the messages after the number `after`, as soon as there are some or `wait` seconds have passed. */
  async readTail(
    stream: StreamName,
    { after, wait }: { readonly after: number; readonly wait: number },
    signal: AbortSignal,
  ): Promise<TailedMessages> {
    const path = `${tailOf(stream)}?after=${after}&wait=${wait}`;
    const answer = await this.#ask("GET", path, { signal, patience: wait * 1000 + answerTime });
    return this.#read(answer, async () => checked<TailedMessages>(await answer.json(), "Data"));
  }

  async #ask(
    method: string,
    path: string,
    { text, etag, signal, patience = compileTime }: Sent = {},
  ): Promise<Response> {
    const answer = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        // The service accepts JSON with this media type, too: it recognises JSON by `{`.
        ...(text !== undefined && { "content-type": "application/vnd.gw.streams.oas" }),
        ...(etag !== undefined && { "if-match": etag }),
      },
      ...(text !== undefined && { body: text }),
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(patience), ...(signal === undefined ? [] : [signal])]),
    }).catch((error: unknown) => {
      throw new ManagementFailure(unreachable(this.#origin, error, patience));
    });
    if (!answer.ok) {
      throw new ManagementFailure(
        await this.#read(answer, () => refusalOf(answer, this.#origin)),
        answer.status,
      );
    }
    return answer;
  }

  /** Reads a body with `read`. The body may be interrupted or belong to another server. */
  #read<T>({ headers, status }: Response, read: () => Promise<T>): Promise<T> {
    return read().catch((error: unknown) => {
      if (!(error instanceof SyntaxError)) {
        throw new ManagementFailure(unreachable(this.#origin, error, compileTime));
      }
      const type = headers.get("content-type") ?? "no content type";
      throw new ManagementFailure(
        `${this.#origin} is not a management service (status ${status}, ${type})`,
        status,
      );
    });
  }

  get #origin(): string {
    return new URL(this.#base).origin;
  }
}

/**
 * Returns `value` if it has a list named `list`, like the responses of a management service. Throws a `SyntaxError`
 * otherwise.
 */
function checked<T>(value: unknown, list: keyof T & string): T {
  const isAnswer =
    typeof value === "object" && value !== null && Array.isArray((value as Record<string, unknown>)[list]);
  if (!isAnswer) throw new SyntaxError(`no ${list}`);
  return value as T;
}

async function refusalOf(answer: Response, origin: string): Promise<string> {
  const text = await answer.text();
  if (answer.status === 401)
    return `${origin} rejects this key: set GW_MANAGEMENT_TOKEN to a key of the service`;
  const unexpected = unexpectedStatus(origin, answer.status);
  try {
    const { Message = unexpected, Errors = [] } = JSON.parse(text) as Reply;
    const details = Errors.map(({ code, line, column, message }) => `${line}:${column} ${code}: ${message}`);
    return details.length === 0 ? Message : details.join("; ");
  } catch {
    // A proxy in front of the service does not respond in JSON.
    return unexpected;
  }
}
