import { randomBytes } from "node:crypto";
import { connect as connectTcp, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { type IClientOptions, type IDisconnectPacket, MqttClient } from "mqtt";
import { createWebSocketStream, WebSocket } from "ws";
import type { ComponentContext } from "../../component/component.ts";
import { attemptLevel } from "../../concurrency/backoff.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { GatewayError } from "../../errors.ts";
import { noteServer } from "../../failures/unreachable.ts";
import type { Logger } from "../../process/log.ts";
import { type TlsBlock, type TlsOptions, tlsOptions } from "../../process/tls.ts";
import { workerSuffix } from "../../process/worker-place.ts";
import { clientLimits, connectionFault } from "../../sockets/client-limits.ts";
import { type MqttAddress, parseAddresses } from "./addresses.ts";
import { mqttFailure, reasonText } from "./failures.ts";
import { qualityOf } from "./grammar.ts";

/** MQTT 5: another client has connected with the client id (section 3.14.2.1). */
const sessionTakenOver = 0x8e;

/** Milliseconds after which the end of a connection no longer counts as caused by connecting. */
const shortest = 5_000;

/** Number of consecutive short connections that are not a coincidence. MQTT 3.1.1 has no other sign of a rival. */
const fewestShort = 3;

/** How a connection ended that the broker closed. */
interface Ending {
  /** Milliseconds since the connection was accepted. */
  readonly lived: number;
  /** Whether the broker reports that another client has taken over the session. */
  readonly isTakenOver: boolean;
}

/**
 * Detects another client with the same id. Such clients disconnect each other endlessly, about a second after each
 * connection. Logs that once, and again after 10, 100, … connections, otherwise only at level `debug`.
 */
class Rivals {
  readonly #clientId: string;
  readonly #log: Logger;
  #short = 0;
  #losses = 0;

  constructor(clientId: string, log: Logger) {
    this.#clientId = clientId;
    this.#log = log;
  }

  /** Whether connections are lost to another client, as far as is known. */
  get areThere(): boolean {
    return this.#losses > 0;
  }

  /** Records how a connection ended. Returns the reason, for operators, if another client seems to be the cause. */
  note({ lived, isTakenOver }: Ending): string | undefined {
    this.#short = lived < shortest ? this.#short + 1 : 0;
    if (!isTakenOver && this.#short < fewestShort) {
      if (this.#short === 0) this.#losses = 0;
      return undefined;
    }
    this.#losses += 1;
    const reason = isTakenOver
      ? `another client has connected with the client id \`${this.#clientId}\``
      : `the broker closes each connection at once, as it does when another client has the client id \`${this.#clientId}\``;
    this.#log[attemptLevel(this.#losses, true)]("MQTT connection lost to another client, reconnecting", {
      reason,
      lost: this.#losses,
      remedy: "give each client its own `client_id`, or set `dynamic_client_id_suffix: nanoid`",
    });
    return reason;
  }
}

/** The connection options that the input and the output share. */
export interface MqttConnection {
  readonly urls: readonly string[];
  readonly client_id: string;
  readonly dynamic_client_id_suffix?: "nanoid";
  readonly user: string;
  readonly password: string;
  /** Seconds. */
  readonly keepalive: number;
  /** Milliseconds. */
  readonly connect_timeout: number;
  readonly protocol_version: 4 | 5;
  readonly clean_session: boolean;
  readonly will?: WillBlock;
  readonly tls?: TlsBlock;
  /** Milliseconds, for MQTT 5. Without it, a session that is kept never expires, as in 3.1.1. */
  readonly session_expiry?: number;
  /** Number of unconfirmed messages that the broker may send. MQTT 5 lets a client announce it. */
  readonly receiveMaximum?: number;
}

const neverExpires = 0xffff_ffff;

/**
 * Connects to the first address that answers. A connection that is lost later is restored, however long that takes.
 * Calls `prepare` with the client before it is connected. If no address answers now, closes everything and rejects
 * with a `GatewayError`.
 */
export async function connectMqtt(
  connection: MqttConnection,
  { log, beginOutage }: ComponentContext,
  prepare: (client: MqttClient) => void,
): Promise<MqttClient> {
  const tls = tlsOptions(connection.tls);
  const addresses = parseAddresses(connection.urls, tls !== undefined);
  const openStream = createStreamOpener(addresses, { tls, timeout: connection.connect_timeout });
  /** Why the current connection ends, if it is known. */
  let fault: string | undefined;
  const openNext = () => {
    fault = undefined;
    return openStream().once("error", (error) => {
      fault ??= connectionFault(error);
    });
  };
  const options = clientOptions(connection, addresses);
  let client: MqttClient | undefined;
  try {
    // `manualConnect` is not used: if such a client is ended while it reconnects, it continues to reconnect every
    // second.
    client = new MqttClient(openNext, options);
    client.on("error", (error) => {
      fault ??= connectionFault(error); // a packet that violates the protocol is not an error of the stream
      log.debug("MQTT client", { error: error.message });
    });
    prepare(client);
    await firstConnection(client, addresses.length);
  } catch (error) {
    await client?.endAsync(true);
    const [server, another] = addresses;
    noteServer(error, another === undefined ? server : undefined);
    throw mqttFailure(error, "The MQTT broker cannot be reached");
  }
  const rivals = new Rivals(options.clientId, log);
  logChanges(client, { faultOf: () => fault, rivals, log, beginOutage });
  return client;
}

/** Milliseconds that a broker may send nothing while it has to respond, or take to close the connection. */
const farewellTime = 2_000;

/** Number of such periods after which a broker is given up that sends messages, but no response. */
const longestFarewell = 10;

/** Resolves with whether `answer` settled before the broker stopped sending. */
export async function settlesInFarewell(client: MqttClient, answer: Promise<unknown>): Promise<boolean> {
  let isSending = true;
  const note = () => {
    isSending = true;
  };
  client.on("packetreceive", note);
  try {
    for (let period = 1; isSending && period <= longestFarewell; period++) {
      isSending = false;
      if (await settlesWithin(answer, farewellTime)) return true;
    }
    return false;
  } finally {
    client.off("packetreceive", note);
  }
}

/** Finishes sending and disconnects; gives up on a broker that no longer answers. */
export async function disconnectMqtt(client: MqttClient): Promise<void> {
  // The client itself would wait for these answers forever.
  const isAnswered = client.connected && (await settlesInFarewell(client, answered(client)));
  const ended = client.endAsync(!isAnswered);
  if (!(await settlesWithin(ended, farewellTime))) client.stream.destroy();
  await ended;
}

async function answered(client: MqttClient): Promise<void> {
  if (Object.keys(client.outgoing).length > 0) {
    await new Promise<void>((resolve) => client.once("outgoingEmpty", resolve));
  }
}

function clientOptions(
  connection: MqttConnection,
  addresses: readonly MqttAddress[],
): IClientOptions & { readonly clientId: string } {
  const { clean_session, protocol_version } = connection;
  const will = willOf(connection.will);
  const login = addresses.find(({ user }) => user !== "");
  const username = connection.user || (login?.user ?? "");
  const password = connection.password || (login?.password ?? "");
  return {
    clientId: clientIdOf(connection),
    clean: clean_session,
    protocolVersion: protocol_version,
    keepalive: connection.keepalive,
    connectTimeout: connection.connect_timeout,
    reconnectPeriod: 1000,
    reconnectOnConnackError: true,
    resubscribe: false, // the client would not notice a refused subscription
    customHandleAcks: withoutBookkeeping,
    ...(username !== "" && { username }),
    ...(password !== "" && { password }),
    ...(will !== undefined && { will }),
    ...(protocol_version === 5 && { properties: sessionProperties(connection) }),
  };
}

/**
 * Prevents the client from tracking messages of quality of service 2. With MQTT 5 it would end the connection if more
 * are unconfirmed than it has announced. Mosquitto 2.0.11 sends more after a reconnection, so that this would repeat
 * endlessly. Any code except success has this effect, and the client does not send it: `acknowledgements.ts` sends
 * the acknowledgements.
 */
const withoutBookkeeping: NonNullable<IClientOptions["customHandleAcks"]> = (
  _topic,
  _content,
  _packet,
  done,
) => done(noMatchingSubscribers);

const noMatchingSubscribers = 16;

/** Returns the client id. A random id has at most the 23 characters that 3.1.1 guarantees. */
function clientIdOf({ client_id, clean_session, dynamic_client_id_suffix }: MqttConnection): string {
  const suffix =
    dynamic_client_id_suffix === undefined ? "" : randomBytes(16).toString("base64url").slice(0, 21);
  if (client_id !== "") return client_id + suffix + workerSuffix();
  if (!clean_session) {
    throw new GatewayError(500, "A persistent session (clean_session: false) needs a client_id");
  }
  return suffix || `sluice-${randomBytes(8).toString("hex")}`;
}

function sessionProperties(connection: MqttConnection): NonNullable<IClientOptions["properties"]> {
  const { clean_session, receiveMaximum, session_expiry } = connection;
  const expiry = session_expiry === undefined ? neverExpires : Math.ceil(session_expiry / 1000);
  return {
    ...(!clean_session && { sessionExpiryInterval: Math.min(expiry, neverExpires) }),
    ...(receiveMaximum !== undefined && { receiveMaximum }),
  };
}

/** Resolves with the first connection; rejects after each address was tried once. */
async function firstConnection(client: MqttClient, attempts: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let failed = 0;
    let reason: Error | undefined;
    const onError = (error: Error) => {
      reason = error;
    };
    const onClose = () => {
      failed += 1;
      if (failed >= attempts) settle(() => reject(reason ?? new Error("the connection was closed")));
    };
    const onConnect = () => settle(resolve);
    const settle = (then: () => void) => {
      client.off("error", onError).off("close", onClose).off("connect", onConnect);
      then();
    };
    client.on("error", onError).on("close", onClose).on("connect", onConnect);
  });
}

interface ChangeOptions extends Pick<ComponentContext, "log"> {
  readonly beginOutage: ComponentContext["beginOutage"] | undefined;
  /** Returns why the current connection ends, if it is known. */
  readonly faultOf: () => string | undefined;
  readonly rivals: Rivals;
}

function logChanges(client: MqttClient, { faultOf, rivals, log, beginOutage }: ChangeOptions): void {
  let since: number | undefined = performance.now();
  let isTakenOver = false;
  let endOutage: EndCondition | undefined;
  log.info("connected to MQTT");
  client.on("connect", () => {
    since = performance.now();
    endOutage?.();
    endOutage = undefined;
    log[rivals.areThere ? "debug" : "info"]("connected to MQTT again");
  });
  client.on("disconnect", ({ reasonCode = 0 }: IDisconnectPacket) => {
    isTakenOver = reasonCode === sessionTakenOver;
    if (!isTakenOver) log.warn("the MQTT broker closed the connection", { reason: reasonText(reasonCode) });
  });
  client.on("close", () => {
    if (since !== undefined && !client.disconnecting) {
      const fault = faultOf();
      const lived = performance.now() - since;
      const rival = fault === undefined || isTakenOver ? rivals.note({ lived, isTakenOver }) : undefined;
      endOutage = beginOutage?.(rival ?? "the connection to MQTT is lost");
      if (rival === undefined) {
        log.warn("MQTT connection lost, reconnecting", { reason: fault ?? "the broker closed it" });
      }
    }
    since = undefined;
    isTakenOver = false;
  });
}

/** The `will` block. */
interface WillBlock {
  readonly enabled?: boolean;
  readonly qos?: number;
  readonly retained?: boolean;
  readonly topic?: string;
  readonly payload?: string;
}

/**
 * Returns the message that the broker publishes when the connection is lost;
 * `undefined` if the block is absent or disabled.
 */
function willOf(block: WillBlock = {}): IClientOptions["will"] {
  const { enabled = false, qos = 0, retained = false, topic = "", payload = "" } = block;
  if (!enabled) return undefined;
  if (topic === "") throw new GatewayError(500, "An MQTT will needs a topic (will.topic)");
  return { topic, payload: Buffer.from(payload), qos: qualityOf(qos), retain: retained };
}

/** How connections are opened. */
interface MqttStreamOptions {
  readonly tls: TlsOptions | undefined;
  /** Milliseconds that the handshake of a WebSocket may take. */
  readonly timeout: number;
}

/**
 * Returns a function that connects to the next address on each call; the stream reports failures. The client's own
 * implementation would use the server name and the path of one address for all of them.
 */
function createStreamOpener(addresses: readonly MqttAddress[], options: MqttStreamOptions): () => Duplex {
  let next = 0;
  return () => {
    const address = addresses[next % addresses.length];
    if (address === undefined) throw new TypeError("there is at least one address");
    next += 1;
    return openStream(address, options);
  };
}

function openStream(
  { protocol, host, port, path }: MqttAddress,
  { tls, timeout }: MqttStreamOptions,
): Duplex {
  switch (protocol) {
    case "tcp":
      return connectTcp({ host, port, noDelay: true });
    case "tls": {
      // A server name must not be an IP address (RFC 6066).
      const servername = isIP(host) === 0 ? { servername: host } : {};
      return connectTls({ host, port, ...servername, ...tls }).setNoDelay();
    }
    default: {
      const authority = host.includes(":") ? `[${host}]` : host;
      const url = `${protocol}://${authority}:${port}${path}`;
      const options = { ...tls, ...clientLimits, handshakeTimeout: timeout };
      const socket = new WebSocket(url, ["mqtt"], options);
      const stream = createWebSocketStream(socket);
      socket.once("close", () => stream.destroy()); // a close by the broker would end only the reading side
      return stream;
    }
  }
}
