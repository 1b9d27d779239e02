// The limits for WebSocket servers to which the gateway connects as a client.

/** The largest message in bytes, all frames together; the same as inputs hold of messages in delivery. */
export const largestClientMessage = 64 * 1024 * 1024;

/**
 * Options of ws for every socket that the gateway opens itself. A server that exceeds a limit gets close code 1009 or
 * 1008 and has `closeTimeout` milliseconds to respond.
 */
export const clientLimits = {
  maxPayload: largestClientMessage,
  /** The most frames of a message: each takes memory in addition to its bytes, and may contain a single one. */
  maxFragments: 16_384,
  /** The most network reads of incomplete frames. */
  maxBufferedChunks: 262_144,
  closeTimeout: 5_000,
  // An extension that is not offered cannot be used: a compressed frame ends the connection, so none can expand.
  perMessageDeflate: false,
} as const;

/**
 * Returns why ws ended a connection, for the log: ws's own text, which quotes nothing, if the server broke the rules;
 * otherwise the system's error code, or the error's message.
 */
export function connectionFault(error: Error & { readonly code?: unknown }): string | undefined {
  if (error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
    return `the server sent a message of more than ${largestClientMessage} bytes`;
  if (error.code === "WS_ERR_TOO_MANY_BUFFERED_PARTS") return "the server sent a message in too many frames";
  return typeof error.code === "string" && !error.code.startsWith("WS_ERR_") ? error.code : error.message;
}
