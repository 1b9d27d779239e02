import { randomBytes } from "node:crypto";
import type { MqttClient } from "mqtt";
import { type Probing, probeContext } from "../../probe/probe.ts";
import { probeAddresses } from "../../probe/probe-address.ts";
import { causesOf, ProbeFailure } from "../../probe/probe-failures.ts";
import { tlsOptions } from "../../process/tls.ts";
import { splitCommas } from "../../text/trim.ts";
import { parseAddresses } from "./addresses.ts";
import { connectMqtt, disconnectMqtt, type MqttConnection } from "./client.ts";

/** The options of `mqtt` that the probe reads. */
export interface MqttProbeOptions extends MqttConnection {
  /** Of an input. */
  readonly topics?: readonly string[];
}

/**
 * Logs in with a client id of its own, in a session that is not kept. With the document's `client_id`, a running
 * gateway would lose its connection, and its session the messages that wait in it. Subscribes to the topics of an
 * input with quality of service 0 and unsubscribes immediately. That takes no message from other clients: shared
 * subscriptions are tested as plain ones, and messages that arrive meanwhile are copies, which are discarded.
 * Publishes nothing, not even a will.
 */
export async function probeMqtt(options: MqttProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "urls", "user", "password", "client_id", "tls")) return;
  const tls = tlsOptions(options.tls);
  const addresses = parseAddresses(options.urls, tls !== undefined).map(({ host, port, protocol }) => {
    const isEncrypted = protocol === "tls" || protocol === "wss";
    return { host, port, ...(isEncrypted && { tls: tls ?? { rejectUnauthorized: true } }) };
  });
  if (!(await probeAddresses(addresses, probing))) return;
  const client = await probing.open("login", () => logIn(options, probing.timeout), disconnectMqtt);
  if (probing.role === "output")
    probing.skip("right to publish", "MQTT reports it only when something is published");
  else if (!probing.isComputed(options, "topics")) {
    for (const topic of (options.topics ?? []).flatMap(splitCommas))
      await trySubscription(client, topic, probing);
  }
}

async function logIn({ will: _will, ...options }: MqttProbeOptions, timeout: number): Promise<MqttClient> {
  const connection = {
    ...options,
    client_id: `${options.client_id || "sluice"}-test-${randomBytes(4).toString("hex")}`,
    clean_session: true,
    connect_timeout: timeout,
  };
  try {
    return await connectMqtt(connection, probeContext(), () => undefined);
  } catch (error) {
    throw understand(error);
  }
}

async function trySubscription(client: MqttClient, topic: string, probing: Probing): Promise<void> {
  const [, group, filter] = /^\$share\/([^/]*)\/(.*)$/s.exec(topic) ?? [undefined, undefined, topic];
  const named =
    group === undefined ? `right to subscribe to ${filter}` : `right to subscribe to ${filter} (plainly)`;
  await probing.check(named, async () => {
    try {
      // This option of MQTT 5 suppresses retained messages.
      const [granted] = await client.subscribeAsync(filter, { qos: 0, rh: 2 });
      if (granted !== undefined && granted.qos < 128) return;
    } catch (error) {
      if (refusalOf(error) === undefined) throw error;
    }
    throw new ProbeFailure("forbidden", "the broker refuses the subscription", {
      advice: "Give the user the right to read it in the broker's access list",
    });
  });
  if (client.connected) await client.unsubscribeAsync(filter).catch(() => undefined); // otherwise it ends with the session
}

/** Reason codes for refused logins, of MQTT 3.1.1 and of 5. */
const badLogin = new Set([4, 5, 134, 135, 140]);
const badClient = new Set([2, 133]);
const badVersion = new Set([1, 132]);

function understand(error: unknown): unknown {
  const code = refusalOf(error);
  if (code === undefined) return error;
  if (badLogin.has(code)) {
    return new ProbeFailure("authentication", "the broker does not accept the login", {
      advice: "Correct `user` and `password`, and check that the broker admits the user",
      cause: error,
    });
  }
  if (badClient.has(code)) {
    return new ProbeFailure("authentication", "the broker does not accept another client id", {
      advice: "Allow client ids that begin with `client_id`, or test with the gateway itself",
      cause: error,
    });
  }
  if (!badVersion.has(code)) return error;
  return new ProbeFailure("unfit", "the broker does not speak this version of MQTT", {
    advice: "Change `protocol_version`",
    cause: error,
  });
}

/** Returns the reason code of the broker. */
function refusalOf(error: unknown): number | undefined {
  for (const each of causesOf(error)) {
    if ("code" in each && typeof each.code === "number") return each.code;
  }
  return undefined;
}
