// A server of event streams and WebSockets, with plain `node:http` and ws.

import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { startListening } from "./server.ts";

export interface OutgoingMessage {
  readonly body: Buffer;
  readonly id?: string;
}

/** Messages that are sent together; what clients share is created once. */
export class Outgoing {
  readonly messages: readonly OutgoingMessage[];
  #events: Buffer | undefined;

  constructor(messages: readonly OutgoingMessage[]) {
    this.messages = messages;
  }

  get events(): Buffer {
    this.#events ??= Buffer.concat(this.messages.flatMap(eventOf));
    return this.#events;
  }
}

export interface Client {
  /** Calls `done` when the messages have left the process, or the client has gone. */
  send(outgoing: Outgoing, done?: () => void): void;
}

export const clients = new Set<Client>();

/** Serves `GET /events` and the WebSocket `/socket`; other requests go to `other`. Calls `joined` for each client. */
export function serveClients(other: RequestListener, joined: () => void = () => undefined): void {
  const acceptor = new WebSocketServer({ noServer: true, clientTracking: false });
  const join = (client: Client, source: ServerResponse | WebSocket) => {
    clients.add(client);
    source.on("close", () => clients.delete(client));
    joined();
  };
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/events") return other(request, response);
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    response.flushHeaders();
    join({ send: ({ events }, done) => void response.write(events, done) }, response);
  });
  server.on("upgrade", (request, connection, head) => {
    acceptor.handleUpgrade(request, connection, head, (socket) =>
      join(socketClient(socket, connection), socket),
    );
  });
  startListening(server);
}

function socketClient(socket: WebSocket, connection: Duplex): Client {
  return {
    send({ messages }, done) {
      const last = messages.length - 1;
      connection.cork();
      for (const [index, { body }] of messages.entries())
        socket.send(body, index === last ? done : undefined);
      connection.uncork();
    },
  };
}

const [data, end] = [Buffer.from("data: "), Buffer.from("\n\n")];

function eventOf({ body, id }: OutgoingMessage): readonly Buffer[] {
  const lines = body.includes(10) ? Buffer.from(body.toString().replaceAll("\n", "\ndata: ")) : body;
  return id === undefined ? [data, lines, end] : [Buffer.from(`id: ${id}\n`), data, lines, end];
}
