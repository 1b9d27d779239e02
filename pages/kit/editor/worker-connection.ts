// A connection to a worker: requests and notifications as JSON-RPC messages.

/** A request failed: the worker returned an error, or it ended. */
export class LanguageError extends Error {
  override readonly name = "LanguageError";
}

interface RpcMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A worker that accepts messages until it is ended. */
export class WorkerConnection {
  readonly #worker: Worker;
  readonly #onNotification: (method: string, parameters: unknown) => void;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  /** Starts the worker with the script at `address`, and calls `onNotification` for each of its notifications. */
  constructor(address: string, onNotification: (method: string, parameters: unknown) => void) {
    this.#onNotification = onNotification;
    this.#worker = new Worker(address, { type: "module" });
    this.#worker.onmessage = ({ data }: MessageEvent<RpcMessage>) => this.#receive(data);
    this.#worker.onerror = (event) => this.#failAll(event.message || "The worker ended.");
  }

  notify(method: string, parameters: unknown): void {
    this.#send({ method, params: parameters });
  }

  /** Rejects with a `LanguageError`. */
  request(method: string, parameters: unknown): Promise<unknown> {
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params: parameters });
    });
  }

  /** Ends the worker. Requests in progress fail with `reason`. */
  end(reason: string): void {
    this.#worker.terminate();
    this.#failAll(reason);
  }

  #send(message: object): void {
    this.#worker.postMessage({ jsonrpc: "2.0", ...message });
  }

  #receive({ id, method, params, result, error }: RpcMessage): void {
    if (method === undefined) {
      const request = this.#waiting.get(Number(id));
      this.#waiting.delete(Number(id));
      if (error !== undefined) request?.reject(new LanguageError(error.message));
      else request?.resolve(result);
    } else if (id === undefined) this.#onNotification(method, params);
    // The worker requests settings and the like, which a page does not have.
    else this.#send({ id, result: null });
  }

  #failAll(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new LanguageError(reason));
    this.#waiting.clear();
  }
}
