import type { WebSocket } from "ws";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedeliveryOfEach, withReplay } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import type { Sequence } from "../../concurrency/ordering.ts";
import { Message } from "../../message/message.ts";
import { sendFrame } from "../../sockets/frames.ts";
import { encodeUtf8 } from "../../text/utf8.ts";
import { SocketConnection } from "./connection.ts";
import { type WebsocketInputOptions, websocketInputDefaults } from "./generated/input-options.ts";

/** Largest number of frames in delivery, and their bytes; above either, the socket is not read. */
const limits = { frames: 64, bytes: 64 * 1024 * 1024 };

/**
 * Reads the frames of a server; each text or binary frame is a message. A server cannot be asked to repeat a frame:
 * delivery is retried until it succeeds, and frames in progress are lost if the process ends.
 */
export function websocketInput(options: WebsocketInputOptions): Input {
  const settings = { ...websocketInputDefaults, ...options };
  let reading: Reading | undefined;
  return {
    sequenceOf: () => frameSequence,
    async start(context) {
      reading = new Reading(settings, context);
      await reading.start();
    },
    async close() {
      await reading?.close();
    },
  };
}

/** The frames of a connection are delivered in order. */
const frameSequence: Sequence = { name: "frames", isKey: false };

type Settings = WebsocketInputOptions &
  Required<Pick<WebsocketInputOptions, keyof typeof websocketInputDefaults>>;

/** One run of an input, from `start` to `close`. */
class Reading {
  readonly #settings: Settings;
  readonly #context: InputContext;
  readonly #connection: SocketConnection;
  readonly #closing = new AbortController();
  readonly #window: DeliveryWindow<Buffer>;
  #current: WebSocket | undefined;

  constructor(settings: Settings, context: InputContext) {
    this.#settings = settings;
    this.#context = context;
    this.#connection = new SocketConnection(
      {
        settings,
        maxRetries: limitOf(settings.connection?.max_retries),
        prepare: (socket) => this.#read(socket),
        gaveUp: () => void this.#end(),
      },
      context,
    );
    const deliver = createRedeliveryOfEach(withReplay(context, settings.auto_replay_nacks));
    this.#window = new DeliveryWindow({
      limit: limits.frames,
      collectors: context.collectors,
      held: 0,
      bytes: limits.bytes,
      sizeOf: (frame) => frame.length,
      deliver: (frames, settle) =>
        deliver(
          frames.map((bytes) => Message.fromBytes(bytes)),
          this.#closing.signal,
          settle,
        ),
      onDropped: () => undefined, // the socket is not read instead
    });
  }

  async start(): Promise<void> {
    await this.#connection.start();
  }

  async close(): Promise<void> {
    abort(this.#closing);
    this.#current?.pause();
    await this.#window.idle();
    await this.#connection.close();
  }

  /** Reports the end once all frames are delivered. */
  async #end(): Promise<void> {
    await this.#window.idle();
    this.#context.reportEnd?.();
  }

  #read(socket: WebSocket): void {
    this.#current = socket;
    socket.once("open", () => {
      this.#greet(socket);
      this.#readAhead(); // messages of the previous connection may still be in progress
    });
    socket.on("message", (bytes: Buffer) => this.#take(bytes));
  }

  /** Sends the opening messages. A failure to send means that the connection is lost, which is handled elsewhere. */
  #greet(socket: WebSocket): void {
    const { open_message, open_messages, open_message_type } = this.#settings;
    const texts = open_message === undefined ? open_messages : [open_message, ...open_messages];
    for (const text of texts) sendFrame(socket, encodeUtf8(text), open_message_type, () => undefined);
  }

  #take(bytes: Buffer): void {
    if (this.#closing.signal.aborted) return;
    this.#window.take(bytes, false);
    this.#readAhead();
  }

  /** Does not read the socket while there is no room for its frames. */
  #readAhead(): void {
    const socket = this.#current;
    if (socket === undefined || socket.isPaused || this.#window.hasRoom) return;
    socket.pause();
    void this.#window.room().then(() => {
      if (socket.readyState === socket.OPEN && !this.#closing.signal.aborted) socket.resume();
    });
  }
}

/** Returns the largest number of attempts; `undefined` if there is no limit. */
function limitOf(retries: number | undefined): number | undefined {
  return retries !== undefined && retries < 0 ? undefined : retries;
}
