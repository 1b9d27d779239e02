import { randomBytes } from "node:crypto";
import { connect, type IClientOptions, type MqttClient } from "mqtt";
import { splitCommas } from "../../commas.ts";
import type { ComponentContext } from "../../component.ts";
import { GatewayError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { ReportConnection } from "../../lost-connections.ts";
import { workerSuffix } from "../../worker-place.ts";

/** What the input and the output share of their options. */
export interface MqttConnection {
  readonly urls: readonly string[];
  readonly client_id: string;
  readonly user: string;
  readonly password: string;
  /** Seconds. */
  readonly keepalive: number;
  /** Milliseconds. */
  readonly connect_timeout: number;
  readonly protocol_version: 4 | 5;
  readonly clean_session: boolean;
}

/** Protocols of addresses: what the client calls them, and their port. */
const protocols = {
  "mqtt:": { protocol: "mqtt", port: 1883 },
  "tcp:": { protocol: "mqtt", port: 1883 },
  "mqtts:": { protocol: "mqtts", port: 8883 },
  "ssl:": { protocol: "mqtts", port: 8883 },
  "tls:": { protocol: "mqtts", port: 8883 },
  "ws:": { protocol: "ws", port: 80 },
  "wss:": { protocol: "wss", port: 443 },
} as const;

/** A session of MQTT 5 that is to be kept never expires, as in 3.1.1. */
const neverExpires = 0xffff_ffff;

/**
 * Connects to the first address that answers; a connection that is lost later is repaired without end.
 * `prepare` is given the client before it connects. Rejects with a `GatewayError`, and leaves nothing
 * open, when no address answers now.
 */
export async function connectMqtt(
  connection: MqttConnection,
  { log, reportConnection }: ComponentContext,
  prepare: (client: MqttClient) => void,
): Promise<MqttClient> {
  const addresses = parseAddresses(connection.urls);
  const client = connect({ ...clientOptions(connection, addresses), manualConnect: true });
  client.on("error", (error) => log.debug("MQTT client", { error: error.message }));
  prepare(client);
  try {
    await firstConnection(client, addresses.length);
  } catch (error) {
    await client.endAsync(true);
    throw mqttFailure(error, "The MQTT broker cannot be reached");
  }
  logChanges(client, log, reportConnection);
  return client;
}

/** Finishes what is being sent and disconnects. */
export async function disconnectMqtt(client: MqttClient): Promise<void> {
  await client.endAsync(!client.connected);
}

/** A failure of the client as callers are told. */
export function mqttFailure(error: unknown, message: string): GatewayError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const known = typeof code === "number" || typeof code === "string";
  return new GatewayError(502, known ? `${message} (${code})` : message, { cause: error });
}

function clientOptions(connection: MqttConnection, addresses: readonly URL[]): IClientOptions {
  const { client_id, clean_session, protocol_version } = connection;
  if (!clean_session && client_id === "") {
    throw new GatewayError(500, "A session that is kept (clean_session: false) needs a client_id");
  }
  const login = addresses.find(({ username }) => username !== "");
  const username = connection.user || decodeURIComponent(login?.username ?? "");
  const password = connection.password || decodeURIComponent(login?.password ?? "");
  return {
    servers: addresses.map(serverOf),
    path: addresses[0]?.pathname ?? "/",
    // 3.1.1 guarantees only 23 characters.
    clientId: client_id ? client_id + workerSuffix() : `sluice-${randomBytes(8).toString("hex")}`,
    clean: clean_session,
    protocolVersion: protocol_version,
    keepalive: connection.keepalive,
    connectTimeout: connection.connect_timeout,
    reconnectPeriod: 1000,
    reconnectOnConnackError: true,
    ...(username !== "" && { username }),
    ...(password !== "" && { password }),
    ...(protocol_version === 5 && !clean_session && { properties: { sessionExpiryInterval: neverExpires } }),
  };
}

function serverOf({ protocol, hostname, port }: URL): { host: string; port: number; protocol: Protocol } {
  if (!(protocol in protocols)) throw new GatewayError(500, "MQTT cannot be spoken over that protocol");
  const kind = protocols[protocol as keyof typeof protocols]; // the line before is its proof
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? kind.port : Number(port),
    protocol: kind.protocol,
  };
}

type Protocol = (typeof protocols)[keyof typeof protocols]["protocol"];

function parseAddresses(urls: readonly string[]): URL[] {
  return urls.flatMap(splitCommas).map((address) => {
    const url = address.includes("://") ? address : `mqtt://${address}`;
    if (!URL.canParse(url)) throw new GatewayError(500, "An address of an MQTT broker cannot be read");
    return new URL(url);
  });
}

/** Each address is tried once; the client goes through them by itself. */
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
    client.connect();
  });
}

function logChanges(client: MqttClient, log: Logger, report: ReportConnection | undefined): void {
  let connected = true;
  log.info("connected to MQTT");
  client.on("connect", () => {
    connected = true;
    report?.(undefined);
    log.info("connected to MQTT again");
  });
  client.on("close", () => {
    if (connected && !client.disconnecting) {
      report?.("the connection to MQTT is lost");
      log.warn("MQTT is lost, connecting again");
    }
    connected = false;
  });
}
