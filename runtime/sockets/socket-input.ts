// Reads messages from WebSockets; each frame is a message.

import type { WebSocket } from "ws";
import { StallGuard } from "../clients/stall-guard.ts";
import type { Delivered, InputContext } from "../component/component.ts";
import { deliverEach } from "../component/deliver-each.ts";
import type { SocketExchange } from "../component/endpoint.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import { InFlight } from "../concurrency/in-flight.ts";
import type { Sequence } from "../concurrency/ordering.ts";
import { afterwards } from "../concurrency/rounds.ts";
import { takeOut } from "../concurrency/transient.ts";
import { type Blockage, blockageOf } from "../conditions/blockage.ts";
import { toGatewayError } from "../errors.ts";
import { requestMetadata } from "../http/request-metadata.ts";
import { requestIdOf } from "../http/request-origin.ts";
import { type Batch, Message, type Metadata } from "../message/message.ts";
import { bodyBudget } from "../process/memory/body-budget.ts";
import { noBytes } from "../text/utf8.ts";
import { closeSocket, cutSocket, endSocket, type FrameType, sendFrame } from "./frames.ts";

/**
 * The most frames in delivery, of one socket and of all; a socket at the limit is not read. Replies count until sent.
 * Frames that collectors hold are in addition: they wait for more.
 */
const maxInFlight = { socket: 64, input: 1024 };
/** Milliseconds after which a client that does not read replies is disconnected. */
const replyWait = 10_000;
const pauses = { first: 200, longest: 30_000 };

/** Sequences by the metadata that the frames of a socket share before processors change it. */
const sequences = /* @__PURE__ */ new WeakMap<Metadata, Sequence>();
let socketsRead = 0;

/** Returns the sequence of a frame: frames of one socket are delivered in order. `undefined` for other messages. */
export function frameSequence({ metadata }: Message): Sequence | undefined {
  return sequences.get(metadata);
}

/** The sockets of one input. */
export interface SocketReader {
  /** Reads a socket until it closes, or closes it at once if the input has; `route`: the route as in the document. */
  read(socket: WebSocket, exchange: SocketExchange, route: string): void;
  /** Closes the sockets and waits for messages in flight. */
  close(): Promise<void>;
}

/** A socket that is being read. */
interface OpenSocket {
  readonly socket: WebSocket;
  readonly exchange: SocketExchange;
  /** The route as in the document. */
  readonly route: string;
  /** Has what the frames have from the handshake, which they share. */
  readonly empty: Message;
  /** Frames in delivery, and delivered ones whose replies the client has not read. */
  inFlight: number;
  /** Present from its first reply on. */
  guard: StallGuard<WebSocket> | undefined;
}

/** A frame in delivery. */
interface Frame {
  readonly from: OpenSocket;
  readonly message: Message;
  readonly size: number;
}

/** Resolves when a frame may be delivered; rejects if the stream stops first. */
export type AdmitFrame = (batch: Batch, socket: WebSocket) => Promise<void>;

/**
 * Delivers frames into `context`, those of one turn of the event loop together. Retries a frame that cannot be delivered
 * now with growing pauses, even if its sender has left. If a frame can never be delivered, because no processor accepts
 * it, closes the socket with 1008 so that its sender knows. Replies of the stream are sent on the socket as `replyType`
 * frames.
 */
export function createSocketReader(
  context: InputContext,
  replyType: FrameType,
  admit?: AdmitFrame | undefined,
): SocketReader {
  return new FrameReader(context, replyType, admit);
}

class FrameReader implements SocketReader {
  readonly #context: InputContext;
  readonly #replyType: FrameType;
  readonly #admit: AdmitFrame | undefined;
  readonly #sockets = new Set<WebSocket>();
  /** Those that wait for room. */
  readonly #paused = new Set<OpenSocket>();
  /** Frames whose outcome is not known. */
  readonly #inFlight = new InFlight();
  /** The bytes of frames that are in delivery, or whose replies are not read. */
  readonly #hold = bodyBudget.hold();
  /** The frames of this turn. */
  #next: Frame[] = [];
  #isClosing = false;
  #unfollow: (() => void) | undefined;

  constructor(context: InputContext, replyType: FrameType, admit: AdmitFrame | undefined) {
    this.#context = context;
    this.#replyType = replyType;
    this.#admit = admit;
  }

  read(socket: WebSocket, exchange: SocketExchange, route: string): void {
    if (this.#isClosing) {
      this.#end(socket);
      return;
    }
    const { metadata, parameters } = requestMetadata(exchange);
    socketsRead += 1;
    sequences.set(metadata, { name: `socket ${socketsRead}`, isKey: false });
    const empty = Message.fromBytes(noBytes, metadata, undefined, parameters);
    const from: OpenSocket = { socket, exchange, route, empty, inFlight: 0, guard: undefined };
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#paused.delete(from);
      from.guard?.stop();
    });
    socket.on("message", (data: Buffer) => this.#take(from, data));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const socket of this.#sockets) socket.pause();
    this.#paused.clear(); // the room of frames that end now is for no others
    await this.#inFlight.empty();
    for (const socket of this.#sockets) this.#end(socket);
  }

  #end(socket: WebSocket): void {
    endSocket(socket, !this.#context.signal.aborted);
  }

  #take(from: OpenSocket, data: Buffer): void {
    if (this.#context.signal.aborted) return;
    const { socket, exchange, empty } = from;
    if (this.#hold.take(data.length) !== undefined) {
      closeSocket(socket, 1013, "too many messages are being read");
      return;
    }
    const frame: Frame = { from, message: empty.withBytes(data), size: data.length };
    from.inFlight += 1;
    this.#inFlight.begin();
    if (!this.#hasRoom(from)) this.#pause(from);
    if (exchange.messages === undefined && this.#admit === undefined) this.#add(frame);
    else {
      this.#admission(frame).then(
        () => this.#add(frame),
        () => this.#drop(frame),
      );
    }
  }

  /** Resolves when the frame may be delivered; frames of a socket may be so in the order of the calls. */
  async #admission({ from, message }: Frame): Promise<void> {
    await from.exchange.messages?.fromClient(this.#context.signal);
    await this.#admit?.([message], from.socket);
  }

  #add(frame: Frame): void {
    if (this.#next.length === 0) setImmediate(() => this.#deliver());
    this.#next.push(frame);
  }

  #deliver(): void {
    const messages = this.#next.map(({ message }) => message);
    const frames: (Frame | undefined)[] = this.#next;
    this.#next = [];
    deliverEach(this.#context.deliver, messages, {
      takesResponse: true,
      confirm: (index, delivered) => this.#settle(takeOut(frames, index), delivered?.response),
      fail: (index, error) => this.#fail(takeOut(frames, index), error),
    });
  }

  #fail(frame: Frame | undefined, error: unknown): void {
    if (frame === undefined) return; // it has its outcome
    const { exchange, route } = frame.from;
    const failure = toGatewayError(error, 500, "Internal error");
    const sourceOf = () => ({ route, requestId: requestIdOf(exchange.request) ?? "" });
    const blockage = blockageOf([frame.message], failure, sourceOf);
    if (this.#isFinal(blockage)) {
      this.#context.reportRefused?.(blockage);
      this.#drop(frame);
    } else {
      this.#repeat(blockage).then(
        ({ response }) => this.#settle(frame, response),
        () => this.#drop(frame),
      );
    }
  }

  async #repeat(blockage: Blockage): Promise<Delivered> {
    const { batch } = blockage;
    const { signal, beginBlockage, countRetry, deliver } = this.#context;
    const backoff = createBackoff(pauses);
    const end = beginBlockage(blockage);
    try {
      for (;;) {
        await pause(backoff.next(), signal);
        countRetry?.(batch.length);
        try {
          return await deliver(batch);
        } catch (error) {
          blockage.failure = toGatewayError(error, 500, "Internal error");
          blockage.attempts += 1;
          if (this.#isFinal(blockage)) throw blockage.failure;
        }
      }
    } finally {
      end();
    }
  }

  #isFinal({ failure, attempts }: Blockage): boolean {
    const { maxAttempts, signal } = this.#context;
    return !failure.retryable || attempts === maxAttempts || signal.aborted;
  }

  /** Ends a frame that is not delivered, for a reason that has been logged. */
  #drop(frame: Frame): void {
    closeSocket(frame.from.socket, this.#context.signal.aborted ? 1001 : 1008, "message was not delivered");
    this.#settle(frame, undefined);
  }

  #settle(frame: Frame | undefined, replies: Batch = []): void {
    if (frame === undefined) return; // it has its outcome
    if (replies.length === 0) this.#free(frame);
    else this.#reply(frame, replies);
    this.#inFlight.end();
    if (this.#inFlight.count === maxInFlight.input - 1) this.#resumeAll();
  }

  #reply(frame: Frame, replies: Batch): void {
    const { from } = frame;
    const { socket } = from;
    from.guard ??= new StallGuard(replyWait, socket, cutSocket);
    const { guard } = from;
    let left = replies.length;
    for (const reply of replies) {
      guard.began();
      // A reply that cannot be sent means that the client is gone.
      sendFrame(socket, reply.bytes(), this.#replyType, () => {
        guard.ended();
        left -= 1;
        if (left === 0) this.#free(frame);
      });
    }
  }

  /** Gives the room of a frame to the next ones. */
  #free({ from, size }: Frame): void {
    this.#hold.give(size);
    from.inFlight -= 1;
    if (this.#paused.has(from)) this.#resume(from);
  }

  /** Whether a socket is read. `held`: the frames that collectors hold, if that is known. */
  #hasRoom({ inFlight }: OpenSocket, held?: number): boolean {
    const { count } = this.#inFlight;
    const { socket, input } = maxInFlight;
    if (inFlight < socket && count < input) return true;
    const further = held ?? this.#context.collectors?.held ?? 0;
    return inFlight < socket + further && count < input + further;
  }

  #pause(from: OpenSocket): void {
    from.socket.pause();
    this.#paused.add(from);
    this.#unfollow ??= this.#context.collectors?.onChange(afterwards(() => this.#resumeAll()));
  }

  /** Reads a socket again if there is room. */
  #resume(from: OpenSocket, held?: number): void {
    if (!this.#hasRoom(from, held)) return;
    this.#paused.delete(from);
    from.socket.resume();
  }

  #resumeAll(): void {
    const held = this.#context.collectors?.held ?? 0;
    for (const from of this.#paused) this.#resume(from, held);
    if (this.#paused.size > 0) return;
    this.#unfollow?.();
    this.#unfollow = undefined;
  }
}
