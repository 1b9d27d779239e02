import type { WebSocket } from "ws";
import type { ComponentContext } from "../../component/component.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { toGatewayError } from "../../errors.ts";
import { connectionFault } from "../../sockets/client-limits.ts";
import { closeSocket } from "../../sockets/frames.ts";
import { type Liveness, openSocket, type SocketSettings } from "./client.ts";

/** How a connection is kept. */
export interface ConnectionOptions {
  readonly settings: SocketSettings;
  /** Attempts after which a lost connection is given up; without it, there is no end. */
  readonly maxRetries?: number | undefined;
  /** Told of each socket before it is open. */
  prepare(socket: WebSocket): void;
  /** Told when the connection is given up. */
  gaveUp?(): void;
}

const pauses = { first: 500, longest: 30_000 };

/** A connection that lived as long as this was a good one: the next attempts begin with short pauses again. */
const goodTime = 10_000;

/** No document can set these; a server that is gone without closing is noticed in a minute. */
const defaultLiveness: Liveness = { pingPeriod: 25_000, pongWait: 60_000 };

/** A socket that is opened again whenever it is lost. */
export class SocketConnection {
  readonly #options: ConnectionOptions;
  readonly #context: ComponentContext;
  readonly #liveness: Liveness;
  readonly #closing = new AbortController();
  readonly #backoff = createBackoff(pauses);
  #socket: WebSocket | undefined;
  /** Why the current socket breaks off, where ws has said so. */
  #fault: string | undefined;
  #kept: Promise<void> | undefined;

  constructor(options: ConnectionOptions, context: ComponentContext, liveness: Liveness = defaultLiveness) {
    this.#options = options;
    this.#context = context;
    this.#liveness = liveness;
  }

  /** The open socket; `undefined` while there is none. */
  get socket(): WebSocket | undefined {
    return this.#socket?.readyState === this.#socket?.OPEN ? this.#socket : undefined;
  }

  /**
   * Resolves once connected, or given up. Rejects with a `GatewayError` when the first attempt fails and there is no
   * number of attempts to make.
   */
  async start(): Promise<void> {
    const { maxRetries } = this.#options;
    const first = maxRetries === undefined ? await this.#open() : await this.#open().catch(this.#tell);
    const socket = first ?? (await this.#openAgain());
    if (socket === undefined) this.#giveUp();
    else {
      this.#context.log.info("connected to the WebSocket server");
      this.#kept = this.#keep(socket);
    }
  }

  /** Ends the connection with the handshake of the protocol. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#socket !== undefined) closeSocket(this.#socket, 1000, "");
    await this.#kept;
  }

  async #keep(first: WebSocket): Promise<void> {
    let socket: WebSocket | undefined = first;
    while (socket !== undefined) {
      const openedAt = performance.now();
      const code = await closed(socket);
      if (this.#closing.signal.aborted) return;
      if (performance.now() - openedAt > goodTime) this.#backoff.reset();
      const endOutage = this.#context.beginOutage?.("the connection to the WebSocket server is lost");
      const reason = this.#fault ?? `closed with code ${code}`;
      this.#context.log.warn("WebSocket connection lost, reconnecting", { reason });
      socket = await this.#openAgain();
      endOutage?.(); // where it is given up, nothing is to repair it any more
      if (socket === undefined) break;
      this.#context.log.info("connected to the WebSocket server again");
    }
    this.#giveUp();
  }

  async #openAgain(): Promise<WebSocket | undefined> {
    const { maxRetries = Number.POSITIVE_INFINITY } = this.#options;
    for (let attempt = 1; attempt <= maxRetries; attempt++) {
      await pause(this.#backoff.next(), this.#closing.signal);
      if (this.#closing.signal.aborted) return undefined;
      const socket = await this.#open().catch(this.#tell);
      if (socket !== undefined) return socket;
    }
    return undefined;
  }

  async #open(): Promise<WebSocket> {
    const socket = await openSocket(this.#options.settings, {
      liveness: this.#liveness,
      stop: this.#closing.signal,
      prepare: (opening) => {
        this.#socket = opening; // so that a close reaches it while it opens, too
        this.#fault = undefined;
        opening.on("error", (error) => {
          if (this.#socket === opening) this.#fault ??= connectionFault(error);
        });
        this.#options.prepare(opening);
      },
    });
    if (this.#closing.signal.aborted) closeSocket(socket, 1000, "");
    return socket;
  }

  readonly #tell = (error: unknown): undefined => {
    const { message } = toGatewayError(error, 502, "The WebSocket server cannot be reached");
    this.#context.log.debug("no connection to the WebSocket server", { reason: message });
    return undefined;
  };

  #giveUp(): void {
    if (this.#closing.signal.aborted) return;
    this.#context.log.warn("WebSocket server given up");
    this.#options.gaveUp?.();
  }
}

/** Resolves with the close code (RFC 6455, section 7.4) of a socket that may have been closed before: 1006 where it is not known. */
async function closed(socket: WebSocket): Promise<number> {
  if (socket.readyState === socket.CLOSED) return unknownCode;
  return new Promise((resolve) => socket.once("close", resolve));
}

const unknownCode = 1006;
