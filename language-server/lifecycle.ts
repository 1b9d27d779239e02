// Enforces the order of messages in the protocol: nothing before `initialize`, which may be sent once, and only
// `exit` after `shutdown`. Requests out of order, and those without the parameters that all handlers read, receive the
// protocol's error; notifications out of order are ignored.

import {
  type Connection,
  ErrorCodes,
  Message,
  type MessageStrategy,
  type RequestMessage,
  ResponseError,
} from "vscode-languageserver";

/** The method that refused requests are converted to; its handler returns their error. */
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

function refusalOf(request: RequestMessage, state: "new" | "running" | "ended"): Refusal | undefined {
  const { method } = request;
  if (state === "ended") return { code: ErrorCodes.InvalidRequest, message: "The server was shut down." };
  if (state === "running" && method === "initialize")
    return { code: ErrorCodes.InvalidRequest, message: "The server is initialized already." };
  if (state === "new" && method !== "initialize")
    return { code: ErrorCodes.ServerNotInitialized, message: "The server is not initialized yet." };
  const missing = missingParameter(request);
  if (missing === undefined) return undefined;
  return { code: ErrorCodes.InvalidParams, message: `The parameter \`${missing}\` is missing.` };
}

/** Returns the parameter that a request needs to be assigned to a document or to the workspace and does not have. */
function missingParameter({ method, params }: RequestMessage): string | undefined {
  const given: { readonly [name: string]: unknown } = { ...params };
  if (method.startsWith("textDocument/"))
    return isDocument(given.textDocument) ? undefined : "textDocument.uri";
  switch (method) {
    case "callHierarchy/incomingCalls":
    case "callHierarchy/outgoingCalls":
      return isDocument(given.item) ? undefined : "item.uri";
    case "workspace/symbol":
      return typeof given.query === "string" ? undefined : "query";
    case "workspace/diagnostic":
      return Array.isArray(given.previousResultIds) ? undefined : "previousResultIds";
    case "workspace/willRenameFiles":
      return Array.isArray(given.files) ? undefined : "files";
    default:
      return undefined;
  }
}

function isDocument(value: unknown): boolean {
  return typeof value === "object" && value !== null && "uri" in value && typeof value.uri === "string";
}

/** Registers the handler for requests that were refused. */
export function answerRefused(connection: Connection): void {
  connection.onRequest(refused, ({ code, message }: Refusal) => new ResponseError(code, message));
}
