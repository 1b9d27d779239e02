// The gateway's listener: Node's server, with every request and upgrade put through the chain.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { answerError, answerUpgrade, toAnswerable } from "./answer.ts";
import { GatewayError } from "./errors.ts";
import type { Logger } from "./log.ts";
import { createCall, type Transport } from "./middleware/call.ts";
import type { Step, StepResult } from "./middleware/chain.ts";
import type { Attempt, GatewayObserver } from "./observer.ts";

export interface GatewayServer {
  readonly server: Server;
  /** Takes no new connections and lets each open one go after its present answer. */
  stopAccepting(): void;
  /** Resolves when every connection is gone; those still open after `deadline` milliseconds are cut. */
  close(deadline: number): Promise<void>;
}

/** Milliseconds a client has to send the head of a request, and its whole body. */
const headTime = 30_000;
const bodyTime = 300_000;
/** Longer than the idle time of usual load balancers, so that it is they who close. */
const idleTime = 65_000;

/** A server that does not listen yet. */
export function createGatewayServer(chain: Step, log: Logger, observer?: GatewayObserver): GatewayServer {
  const responses = new Set<ServerResponse>();
  const sockets = new Set<Duplex>();
  let closing = false;
  const server = createServer({
    headersTimeout: headTime,
    requestTimeout: bodyTime,
    keepAliveTimeout: idleTime,
    // Java's client offers h2c on plain requests; only WebSocket is an upgrade here.
    shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === "websocket",
  });

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    responses.add(response);
    response.once("close", () => responses.delete(response));
    if (closing) response.setHeader("connection", "close");
    const transport = { kind: "http", response } as const;
    const attempt = observer?.attempt(request, transport);
    const refuse = (error: GatewayError) => {
      if (attempt !== undefined) attempt.refusal = error;
      answerError(response, error);
    };
    serve({ chain, request, transport, attempt, refuse, log });
  };
  server.on("request", answer);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // Whoever reads the body asks for it: a request that is refused before need not send it.
    request.once("resume", () => {
      if (!response.headersSent) response.writeContinue();
    });
    answer(request, response);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // Without a listener a reset connection would end the process.
    socket.on("error", () => socket.destroy());
    const transport = { kind: "websocket", socket, head } as const;
    const attempt = observer?.attempt(request, transport);
    const refuse = (error: GatewayError) => {
      if (attempt !== undefined) attempt.refusal = error;
      answerUpgrade(socket, error);
    };
    serve({ chain, request, transport, attempt, refuse, log });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else {
      const answer = clientErrorAnswer(error.code);
      observer?.malformed(answer);
      answerUpgrade(socket, answer);
    }
  });

  function stopAccepting(): void {
    closing = true;
    for (const response of responses) {
      if (!response.headersSent) response.setHeader("connection", "close");
    }
    if (server.listening) server.close();
  }

  return {
    server,
    stopAccepting,
    async close(deadline) {
      stopAccepting();
      const cut = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }, deadline);
      // Again and again: a connection kept alive may bring one more request meanwhile.
      for (let open = [...responses, ...sockets]; open.length > 0; open = [...responses, ...sockets]) {
        await Promise.all(open.map((each) => new Promise((gone) => each.once("close", gone))));
      }
      server.closeAllConnections();
      clearTimeout(cut);
    },
  };
}

/** One request or upgrade, and how it is answered when it is refused. */
interface Served {
  readonly chain: Step;
  readonly request: IncomingMessage;
  readonly transport: Transport;
  readonly attempt: Attempt | undefined;
  readonly refuse: (error: GatewayError) => void;
  readonly log: Logger;
}

function serve({ chain, request, transport, attempt, refuse, log }: Served): void {
  const finish = (result: StepResult) => {
    if (result === "next") refuse(new GatewayError(404, "not found"));
    else if (result !== "done") refuse(result);
  };
  const fail = (error: unknown) => refuse(toAnswerable(error, log));
  const call = createCall(request, transport);
  if (call instanceof GatewayError) {
    refuse(call);
    return;
  }
  if (attempt !== undefined) attempt.call = call;
  try {
    const result = chain(call);
    if (result instanceof Promise) result.then(finish).catch(fail);
    else finish(result);
  } catch (error) {
    fail(error);
  }
}

function clientErrorAnswer(code: string | undefined): GatewayError {
  if (code === "HPE_HEADER_OVERFLOW") return new GatewayError(431, "Request header is too large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new GatewayError(408, "Request timed out");
  return new GatewayError(400, "Bad request");
}
