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
import { type BrokerAddress, parseAddresses } from "./addresses.ts";
import { mqttFailure, reasonText } from "./failures.ts";
import { qualityOf } from "./grammar.ts";

/** MQTT 5: another client has connected with the client id (section 3.14.2.1). */
const sessionTakenOver = 0x8e;

/** Milliseconds after which a connection that the broker closes was not closed for being made. */
const shortest = 5_000;

/** Short connections one after the other that are no chance. MQTT 3.1.1 has no other sign of a rival. */
const fewestShort = 3;

/** How a connection ended that the broker closed. */
interface Ending {
  /** Milliseconds since it was accepted. */
  readonly lived: number;
  /** Whether the broker says that another client has the session now. */
  readonly isTakenOver: boolean;
}

/**
 * What connections that ended say of another client of the same id. Such clients disconnect each other without end, a second
 * or so after each connection: the log has that once, then after 10, 100, … connections, other lines only at level `debug`.
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

  /** Notes how a connection ended. Gives why, for operators, where another client seems to be the reason. */
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
      remedy: "give each client a `client_id` of its own, or set `dynamic_client_id_suffix: nanoid`",
    });
    return reason;
  }
}

/** What the input and the output share of their options. */
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
  /** Milliseconds, of MQTT 5; a session that is to be kept never expires without it, as in 3.1.1. */
  readonly session_expiry?: number;
  /** Messages that the broker may have under way to us, where MQTT 5 lets us say so. */
  readonly receiveMaximum?: number;
}

const neverExpires = 0xffff_ffff;

/**
 * Connects to the first address that answers; a connection that is lost later is repaired without end.
 * `prepare` is given the client before it is connected. Rejects with a `GatewayError`, and leaves nothing
 * open, when no address answers now.
 */
export async function connectMqtt(
  connection: MqttConnection,
  { log, beginOutage }: ComponentContext,
  prepare: (client: MqttClient) => void,
): Promise<MqttClient> {
  const tls = tlsOptions(connection.tls);
  const addresses = parseAddresses(connection.urls, tls !== undefined);
  const openStream = createStreamOpener(addresses, { tls, timeout: connection.connect_timeout });
  /** Why the current connection breaks off, where it is known. */
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
    // Not with `manualConnect`: ended while it connects again, such a client goes on to do so every second.
    client = new MqttClient(openNext, options);
    client.on("error", (error) => {
      fault ??= connectionFault(error); // a packet that breaks the protocol is not the stream's error
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

/** Milliseconds a broker may take to answer what was sent, and then to close the connection. */
const farewellTime = 2_000;

/** Finishes what is being sent and disconnects; a broker that no longer answers is left. */
export async function disconnectMqtt(client: MqttClient): Promise<void> {
  // The client itself would wait for such answers without end.
  const isAnswered = client.connected && (await settlesWithin(answered(client), farewellTime));
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
  addresses: readonly BrokerAddress[],
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
    resubscribe: false, // the client would not notice a refusal
    customHandleAcks: withoutBookkeeping,
    ...(username !== "" && { username }),
    ...(password !== "" && { password }),
    ...(will !== undefined && { will }),
    ...(protocol_version === 5 && { properties: sessionProperties(connection) }),
  };
}

/**
 * Makes the client keep no account of what came with quality of service 2: with MQTT 5 it would end the connection once
 * more is under way than it has announced, as Mosquitto 2.0.11 sends after a reconnection, and do so again and again.
 * Any code but success does that, and is not sent: the acknowledgements are ours (`acknowledgements.ts`).
 */
const withoutBookkeeping: NonNullable<IClientOptions["customHandleAcks"]> = (
  _topic,
  _content,
  _packet,
  done,
) => done(noMatchingSubscribers);

const noMatchingSubscribers = 16;

/** A random name fits into the 23 characters that 3.1.1 guarantees. */
function clientIdOf({ client_id, clean_session, dynamic_client_id_suffix }: MqttConnection): string {
  const suffix =
    dynamic_client_id_suffix === undefined ? "" : randomBytes(16).toString("base64url").slice(0, 21);
  if (client_id !== "") return client_id + suffix + workerSuffix();
  if (!clean_session) {
    throw new GatewayError(500, "A session that is kept (clean_session: false) needs a client_id");
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

/** Each address is tried once. */
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
  /** Why the current connection breaks off, where that is known here. */
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
    if (!isTakenOver) log.warn("the MQTT broker ends the connection", { reason: reasonText(reasonCode) });
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

/** What the broker publishes when the connection is lost; `undefined` where the block is absent or switched off. */
function willOf(block: WillBlock = {}): IClientOptions["will"] {
  const { enabled = false, qos = 0, retained = false, topic = "", payload = "" } = block;
  if (!enabled) return undefined;
  if (topic === "") throw new GatewayError(500, "An MQTT will needs a topic (will.topic)");
  return { topic, payload: Buffer.from(payload), qos: qualityOf(qos), retain: retained };
}

/** How connections are opened. */
interface MqttStreamOptions {
  readonly tls: TlsOptions | undefined;
  /** Milliseconds the handshake of a WebSocket may take. */
  readonly timeout: number;
}

/**
 * Gives a connection to the next of the addresses each time it is called; failures are reported by the stream. The
 * client has a way of its own to do so, which keeps the server's name and the path of one address for all of them.
 */
function createStreamOpener(addresses: readonly BrokerAddress[], options: MqttStreamOptions): () => Duplex {
  let next = 0;
  return () => {
    const address = addresses[next % addresses.length];
    if (address === undefined) throw new TypeError("there is at least one address");
    next += 1;
    return openStream(address, options);
  };
}

function openStream(
  { protocol, host, port, path }: BrokerAddress,
  { tls, timeout }: MqttStreamOptions,
): Duplex {
  switch (protocol) {
    case "tcp":
      return connectTcp({ host, port, noDelay: true });
    case "tls": {
      // The name of a server is never an address (RFC 6066).
      const servername = isIP(host) === 0 ? { servername: host } : {};
      return connectTls({ host, port, ...servername, ...tls }).setNoDelay();
    }
    default: {
      const authority = host.includes(":") ? `[${host}]` : host;
      const url = `${protocol}://${authority}:${port}${path}`;
      const options = { ...tls, ...clientLimits, handshakeTimeout: timeout };
      const socket = new WebSocket(url, ["mqtt"], options);
      const stream = createWebSocketStream(socket);
      socket.once("close", () => stream.destroy()); // a close by the broker would only end the reading side
      return stream;
    }
  }
}
