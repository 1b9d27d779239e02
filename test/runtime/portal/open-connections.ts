// Connections of every kind that stay open, as clients of a protected API have them.

import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { request as secureRequest } from "node:https";
import { text } from "node:stream/consumers";
import { WebSocketServer } from "ws";
import { broadcast } from "../../../runtime/clients/distribution.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { portalWebhookOutput } from "../../../runtime/connectors/portal-webhook/output.ts";
import { websocketServerInput } from "../../../runtime/connectors/websocket-server/input.ts";
import type { ApiDefinition } from "../../../runtime/gateway.ts";
import { type LoopbackServer, listenOnLoopback } from "../../harness/loopback-server.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { type ManualInput, type MemoryOutput, manualInput, memoryOutput } from "../gateway/components.ts";
import { ordersApi } from "../gateway/start-gateway.ts";

/** An open connection. */
export interface OpenConnection {
  readonly kind: string;
  /** What the client has got so far. */
  readonly got: readonly string[];
  /** Resolves with what the client sees of the end. */
  readonly ended: Promise<string>;
  /** Sends something, where the client may. */
  send?(text: string): void;
  close(): void;
}

/** A server whose answers and sockets stay open. Those to `/whole` have a length, and are complete with `finish`. */
export async function lastingUpstream(): Promise<LoopbackServer & { finish(): void }> {
  const begun: ServerResponse[] = [];
  const server = createServer(({ url = "" }, response) => {
    if (url.endsWith("/whole")) {
      begun.push(response);
      response.writeHead(200, { "content-length": "12" }).write("not yet ");
    } else if (url.includes("/events")) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(url.endsWith("/begun") ? "data: first\r\n\r\ndata: beg" : "data: first\n\n");
    } else response.writeHead(200).write("first\n");
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (open, { url = "" }) => {
    open.send("first");
    // Of a frame with a length in two bytes, a part.
    if (url.endsWith("/begun"))
      setImmediate(() => Object(open)._socket.write(Buffer.from([0x82, 126, 1, 0, 7])));
  });
  const finish = () => {
    for (const response of begun.splice(0)) response.end("all\n");
  };
  return { ...(await listenOnLoopback(server)), finish };
}

/** An API whose streams and upstream keep connections open, with what goes in and what came through. */
export interface LastingApi {
  readonly api: ApiDefinition;
  readonly feed: ManualInput;
  readonly received: MemoryOutput;
  /** Has webhooks told of a message. */
  readonly told: ManualInput;
}

/** `hasPortal`: the API also tells webhooks, which a gateway without a portal cannot. */
export function lastingApi(upstream: string, hasPortal = false): LastingApi {
  const feed = manualInput();
  const received = memoryOutput();
  const told = manualInput();
  const streams = {
    out: () => ({
      input: feed,
      output: httpServerOutput({
        path: "/next",
        stream_path: "/events",
        stream_format: "event_source",
        ws_path: "/socket",
        distribution: broadcast,
      }),
    }),
    in: () => ({ input: websocketServerInput({ path: "/in" }), output: received }),
    ...(hasPortal && {
      tell: () => ({ input: told, output: portalWebhookOutput({ event_type: "order.made" }) }),
    }),
  };
  return { api: ordersApi(streams, upstream), feed, received, told };
}

/** Who opens connections: the header fields with its credential, and where the server speaks TLS, by what. */
export interface Client {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
}

/** Opens a connection of each kind that stays open after a message, with that credential. */
export function openAll(url: string, client: Client): Promise<OpenConnection[]> {
  return Promise.all([
    openAnswer("events", `${url}/orders/events`, client),
    openAnswer("proxied answer", `${url}/orders/upstream`, client),
    openSocket("socket", `${url}/orders/socket`, client),
    openSocket("sending socket", `${url}/orders/in`, client),
    openSocket("proxied socket", `${url}/orders/upstream`, client),
    openAnswer("proxied events", `${url}/orders/upstream/events`, client),
  ]);
}

/** Has the upstream begin an event and a frame that it does not end. */
export function openBegun(url: string, client: Client): Promise<OpenConnection[]> {
  return Promise.all([
    openAnswer("begun event", `${url}/orders/upstream/events/begun`, client),
    openSocket("begun frame", `${url}/orders/upstream/begun`, client),
  ]);
}

/** Asks for one message, and does not wait for it. */
export function askForNext(url: string, client: Client): Promise<OpenConnection> {
  return openAnswer("long poll", `${url}/orders/next`, client);
}

/** The status of the answer at an address. */
export async function statusAt(url: string, client: Client): Promise<number> {
  const { answered, outgoing } = get(url, client);
  const { statusCode = 0 } = await answered;
  outgoing.destroy();
  return statusCode;
}

/** The body of the answer to a form. */
export async function post(
  url: string,
  form: string,
  { headers, tls = { ca: "" } }: Client,
): Promise<string> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const outgoing = secureRequest(url, {
    ...tls,
    method: "POST",
    headers: { ...headers, ...type },
    agent: false,
  });
  outgoing.end(form);
  const [answer] = await once(outgoing, "response");
  return text(answer);
}

/** A request of its own connection, so that certificates of others do not speak for it. */
function get(
  url: string,
  { headers, tls = { ca: "" } }: Client,
): { readonly outgoing: ClientRequest; readonly answered: Promise<IncomingMessage> } {
  const outgoing = url.startsWith("https:")
    ? secureRequest(url, { ...tls, headers, agent: false })
    : request(url, { headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve).on("error", reject).end();
  });
  return { outgoing, answered };
}

/** Opens an answer, and waits for its head where that comes without a message. */
export async function openAnswer(kind: string, url: string, client: Client): Promise<OpenConnection> {
  const got: string[] = [];
  const { outgoing, answered } = get(url, client);
  const read = async () => {
    const response = await answered;
    try {
      for await (const chunk of response) got.push(chunk.toString());
      return `${response.statusCode} ${got.at(-1) ?? ""}`;
    } catch {
      return "cut";
    }
  };
  const ended = read().catch((error: unknown) => `not answered: ${String(error)}`);
  // A request that waits for a message has no answer yet.
  if (kind !== "long poll") await answered;
  return { kind, got, ended, close: () => outgoing.destroy() };
}

async function openSocket(
  kind: string,
  url: string,
  { headers, tls = { ca: "" } }: Client,
): Promise<OpenConnection> {
  const client = await socket(url, { headers, ...(url.startsWith("https:") && tls) });
  client.socket.on("error", () => undefined);
  return {
    kind,
    get got() {
      return client.messages.map(String);
    },
    ended: client.ended.then(({ code, reason }) => `${code} ${reason}`.trim()),
    send: (text) => client.socket.send(text),
    close: () => client.socket.terminate(),
  };
}

/** The session of a person at the page, which ends when the page asks who it is of. */
export function openSession(url: string, client: Client): OpenConnection {
  const ends = async () => {
    const status = await until(
      async () => {
        const found = await statusAt(`${url}/portal/own/me`, client);
        return found !== 200 && found;
      },
      { what: "the end of the session" },
    );
    return String(status);
  };
  return { kind: "session", got: [], ended: ends(), close() {} };
}
