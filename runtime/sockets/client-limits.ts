// What a WebSocket server may send to a client of the gateway.

/** Bytes of the largest message, all its frames together; as many as inputs hold of messages in delivery. */
export const largestClientMessage = 64 * 1024 * 1024;

/**
 * Options of ws for every socket that the gateway opens itself. A server that goes beyond a limit is sent close code 1009
 * or 1008 and has `closeTimeout` milliseconds to answer.
 */
export const clientLimits = {
  maxPayload: largestClientMessage,
  /** Frames of a message: each takes memory beside its bytes, and may hold a single one. */
  maxFragments: 16_384,
  /** Pieces as they came from the network, of frames that are not complete. */
  maxBufferedChunks: 262_144,
  closeTimeout: 5_000,
  // An extension that is not offered cannot be used: a compressed frame ends the connection, so none can expand.
  perMessageDeflate: false,
} as const;

/**
 * Why ws has ended a connection, as the log has it: in words where the server went beyond the rules, which ws writes itself
 * and which quote nothing, otherwise the code of the system. `undefined` where neither is known.
 */
export function connectionFault(error: Error & { readonly code?: unknown }): string | undefined {
  if (error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
    return `the server sent a message of more than ${largestClientMessage} bytes`;
  if (error.code === "WS_ERR_TOO_MANY_BUFFERED_PARTS") return "the server sent a message in too many frames";
  return typeof error.code === "string" && !error.code.startsWith("WS_ERR_") ? error.code : error.message;
}
