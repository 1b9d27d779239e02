// Reads messages from WebSockets; each frame is a message.

import type { WebSocket } from "ws";
import { StallGuard } from "../clients/stall-guard.ts";
import type { Delivered, InputContext } from "../component/component.ts";
import type { SocketExchange } from "../component/endpoint.ts";
import { createBackoff, pause } from "../concurrency/backoff.ts";
import type { Sequence } from "../concurrency/ordering.ts";
import { type Blockage, blockageOf, type SourceOf } from "../conditions/blockage.ts";
import { type GatewayError, toGatewayError } from "../errors.ts";
import { requestMetadata } from "../http/request-metadata.ts";
import { requestIdOf } from "../http/request-origin.ts";
import { type Batch, Message, type Metadata } from "../message/message.ts";
import { bodyBudget } from "../process/memory/body-budget.ts";
import { closeSocket, cutSocket, endSocket, type FrameType, sendFrame } from "./frames.ts";

/**
 * The most frames in delivery, of one socket and of all; a socket at the limit is not read. Replies count until sent.
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
  /** Reads a socket until it closes; `route`: the route as in the document. */
  read(socket: WebSocket, exchange: SocketExchange, route: string): void;
  /** Closes the sockets and waits for messages in flight. */
  close(): Promise<void>;
}

/** A socket that is being read. */
interface OpenSocket {
  /** Frames in delivery, and delivered ones whose replies the client has not read. */
  inFlight: number;
  /** Present from its first reply on. */
  guard: StallGuard<WebSocket> | undefined;
}

/** Resolves when a frame may be delivered; rejects if the stream stops first. */
export type AdmitFrame = (batch: Batch, socket: WebSocket) => Promise<void>;

/**
 * Delivers frames into `context`. Retries a frame that cannot be delivered now with growing pauses, even if its
 * sender has left. If a frame can never be delivered, because no processor accepts it, closes the socket with 1008 so
 * that its sender knows. Replies of the stream are sent on the socket as `replyType` frames.
 */
export function createSocketReader(
  context: InputContext,
  replyType: FrameType,
  admit?: AdmitFrame | undefined,
): SocketReader {
  const sockets = new Map<WebSocket, OpenSocket>();
  const inFlight = new Set<Promise<void>>();

  async function deliver(batch: Batch, sourceOf: SourceOf): Promise<Delivered> {
    try {
      return await context.deliver(batch);
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      const blockage = blockageOf(batch, failure, sourceOf);
      if (!isFinal(failure, 1)) return await repeat(blockage);
      context.reportRefused?.(blockage);
      throw failure;
    }
  }

  async function repeat(blockage: Blockage): Promise<Delivered> {
    const { batch } = blockage;
    const backoff = createBackoff(pauses);
    const end = context.beginBlockage(blockage);
    try {
      for (;;) {
        await pause(backoff.next(), context.signal);
        context.countRetry?.(batch.length);
        try {
          return await context.deliver(batch);
        } catch (error) {
          blockage.failure = toGatewayError(error, 500, "Internal error");
          blockage.attempts += 1;
          if (isFinal(blockage.failure, blockage.attempts)) throw blockage.failure;
        }
      }
    } finally {
      end();
    }
  }

  function isFinal(failure: GatewayError, attempt: number): boolean {
    return !failure.retryable || attempt === context.maxAttempts || context.signal.aborted;
  }

  async function handle(
    socket: WebSocket,
    batch: Batch,
    { messages: gates, request }: SocketExchange,
    route: string,
  ): Promise<Batch> {
    const sourceOf = () => ({ route, requestId: requestIdOf(request) ?? "" });
    try {
      await gates?.fromClient(context.signal);
      await admit?.(batch, socket);
      const { response = [] } = await deliver(batch, sourceOf);
      return response;
    } catch {
      // The delivery has logged the reason.
      closeSocket(socket, context.signal.aborted ? 1001 : 1008, "message was not delivered");
      return [];
    }
  }

  function reply(socket: WebSocket, own: OpenSocket, messages: Batch, done: () => void): void {
    if (messages.length === 0) {
      done();
      return;
    }
    own.guard ??= new StallGuard(replyWait, socket, cutSocket);
    const { guard } = own;
    let left = messages.length;
    for (const message of messages) {
      guard.began();
      // A reply that cannot be sent means that the client is gone.
      sendFrame(socket, message.bytes(), replyType, () => {
        guard.ended();
        left -= 1;
        if (left === 0) done();
      });
    }
  }

  function resumeAll(): void {
    for (const [socket, { inFlight }] of sockets) if (inFlight < maxInFlight.socket) socket.resume();
  }

  function read(socket: WebSocket, exchange: SocketExchange, route: string): void {
    const { metadata, parameters } = requestMetadata(exchange);
    socketsRead += 1;
    sequences.set(metadata, { name: `socket ${socketsRead}`, isKey: false });
    const own: OpenSocket = { inFlight: 0, guard: undefined };
    sockets.set(socket, own);
    socket.once("close", () => {
      sockets.delete(socket);
      own.guard?.stop();
    });
    socket.on("message", (data: Buffer) => {
      if (context.signal.aborted) return;
      const hold = bodyBudget.hold();
      if (hold.take(data.length) !== undefined) {
        closeSocket(socket, 1013, "too many messages are being read");
        return;
      }
      const message = Message.fromBytes(data, metadata, undefined, parameters);
      const free = () => {
        hold.release();
        own.inFlight -= 1;
        if (own.inFlight < maxInFlight.socket) socket.resume();
      };
      const delivery = handle(socket, [message], exchange, route)
        .then((replies) => reply(socket, own, replies, free))
        .finally(() => {
          inFlight.delete(delivery);
          if (inFlight.size === maxInFlight.input - 1) resumeAll();
        });
      own.inFlight += 1;
      inFlight.add(delivery);
      if (own.inFlight >= maxInFlight.socket || inFlight.size >= maxInFlight.input) socket.pause();
    });
  }

  return {
    read,
    async close() {
      for (const socket of sockets.keys()) socket.pause();
      await Promise.all(inFlight);
      for (const socket of sockets.keys()) endSocket(socket, !context.signal.aborted);
    },
  };
}
