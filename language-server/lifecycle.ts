// Enforces the order of messages in the protocol: nothing before `initialize`, which may be sent once, and only
// `exit` after `shutdown`. Requests out of order receive the protocol's error; such notifications are ignored.

import {
  type Connection,
  ErrorCodes,
  Message,
  type MessageStrategy,
  type RequestMessage,
  ResponseError,
} from "vscode-languageserver";

/** The method that requests out of order are converted to; its handler returns their error. */
const refused = "sluice/refused";

/** Returns a strategy that passes on messages in the order of the protocol. */
export function createLifecycle(): MessageStrategy {
  let state: "new" | "running" | "ended" = "new";
  return {
    handleMessage(message, next) {
      if (Message.isRequest(message)) {
        const refusal = refusalOf(message, state);
        if (refusal !== undefined)
          return next({ ...message, method: refused, params: refusal } as RequestMessage);
        if (message.method === "initialize") state = "running";
        if (message.method === "shutdown") state = "ended";
      } else if (Message.isNotification(message) && state !== "running" && message.method !== "exit") return;
      return next(message);
    },
  };
}

interface Refusal {
  readonly code: number;
  readonly message: string;
}

function refusalOf({ method }: RequestMessage, state: "new" | "running" | "ended"): Refusal | undefined {
  if (state === "ended") return { code: ErrorCodes.InvalidRequest, message: "The server was shut down." };
  if (state === "running" && method === "initialize")
    return { code: ErrorCodes.InvalidRequest, message: "The server is initialized already." };
  if (state === "new" && method !== "initialize")
    return { code: ErrorCodes.ServerNotInitialized, message: "The server is not initialized yet." };
  return undefined;
}

/** Registers the handler for requests that were out of order. */
export function answerRefused(connection: Connection): void {
  connection.onRequest(refused, ({ code, message }: Refusal) => new ResponseError(code, message));
}
