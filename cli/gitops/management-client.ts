// The management service as `sluice plan`, `apply` and `export` ask it.

/** A definition as the service has it. */
export interface ServedDefinition {
  readonly text: string;
  readonly isJson: boolean;
  /** For `If-Match`. */
  readonly etag: string;
}

/** The service has refused something, or cannot be asked. The message is for people. */
export class ManagementFailure extends Error {
  override readonly name = "ManagementFailure";
  /** The status of the answer; 0 where there was none. */
  readonly status: number;

  constructor(message: string, status = 0) {
    super(message);
    this.status = status;
  }
}

/** What the service says when it refuses, or takes, a definition. */
interface Reply {
  readonly Message?: string;
  readonly Errors?: readonly {
    readonly code?: string;
    readonly line?: number;
    readonly column?: number;
    readonly message?: string;
  }[];
}

/** Milliseconds that the service has for an answer: compiling takes a while. */
const patience = 120_000;

/** Asks one service, as the holder of a key. */
export class ManagementClient {
  readonly #base: string;
  readonly #token: string;

  constructor(server: string, token: string) {
    this.#base = `${server.replace(/\/+$/, "")}/api/apis/streams`;
    this.#token = token;
  }

  /** The ids of all APIs of the organisation, in order. */
  async list(): Promise<readonly string[]> {
    const answer = await this.#ask("GET", "?p=-1&sort=name");
    const { apis } = (await answer.json()) as {
      readonly apis: readonly { readonly api_definition: { readonly api_id: string } }[];
    };
    return apis.map(({ api_definition: { api_id: id } }) => id).toSorted();
  }

  /** A definition as it was sent. */
  async read(id: string): Promise<ServedDefinition> {
    const answer = await this.#ask("GET", `/${encodeURIComponent(id)}`);
    const type = answer.headers.get("content-type") ?? "";
    return {
      text: await answer.text(),
      isJson: !type.includes("yaml"),
      etag: answer.headers.get("etag") ?? "",
    };
  }

  /** Rejects with what is wrong with a definition; `id` is the API whose place it is to take. */
  async validate(text: string, id: string | undefined): Promise<void> {
    const query = id === undefined ? "" : `?id=${encodeURIComponent(id)}`;
    await this.#ask("POST", `/validate${query}`, { text });
  }

  async create(text: string): Promise<void> {
    await this.#ask("POST", "", { text });
  }

  /** Replaces what was read with that entity tag; rejects with status 412 where it has changed since. */
  async replace(id: string, text: string, etag: string): Promise<void> {
    await this.#ask("PUT", `/${encodeURIComponent(id)}`, { text, etag });
  }

  async delete(id: string, etag: string): Promise<void> {
    await this.#ask("DELETE", `/${encodeURIComponent(id)}`, { etag });
  }

  async #ask(
    method: string,
    path: string,
    { text, etag }: { readonly text?: string; readonly etag?: string } = {},
  ): Promise<Response> {
    const answer = await fetch(`${this.#base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        // JSON begins with `{`, and is read as that.
        ...(text !== undefined && { "content-type": "application/vnd.gw.streams.oas" }),
        ...(etag !== undefined && { "if-match": etag }),
      },
      ...(text !== undefined && { body: text }),
      redirect: "error",
      signal: AbortSignal.timeout(patience),
    }).catch((error: unknown) => {
      throw new ManagementFailure(`${new URL(this.#base).origin} is unreachable (${reasonOf(error)})`);
    });
    if (!answer.ok) throw new ManagementFailure(await refusalOf(answer), answer.status);
    return answer;
  }
}

function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.message : String(cause);
}

async function refusalOf(answer: Response): Promise<string> {
  const text = await answer.text();
  try {
    const { Message = `status ${answer.status}`, Errors = [] } = JSON.parse(text) as Reply;
    const details = Errors.map(({ code, line, column, message }) => `${line}:${column} ${code}: ${message}`);
    return details.length === 0 ? Message : details.join("; ");
  } catch {
    // What stands in front of the service does not answer in JSON.
    return `status ${answer.status}`;
  }
}
