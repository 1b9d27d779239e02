import { setImmediate as nextTurn } from "node:timers/promises";
import { type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { isFixed, NotTested, type ProbedText, type Probing, probeContext } from "../../probe/probe.ts";
import { probeAddresses } from "../../probe/probe-address.ts";
import { causesOf, ProbeFailure } from "../../probe/probe-failures.ts";
import {
  connectNats,
  disconnectNats,
  type NatsAddress,
  type NatsReason,
  parseAddresses,
  reasonOf,
} from "./client.ts";
import { probePublishing } from "./publish-rights.ts";

/** The options of `nats` that the probe reads. */
export interface NatsProbeOptions extends NatsAddress {
  readonly subject: ProbedText;
  /** Of an input. */
  readonly queue?: string;
}

/**
 * Logs in, and tests the right to subscribe with a subscription that ends immediately. It does not join the queue, so
 * it takes no message from other readers. Publishes nothing: the server reports whether publishing would be allowed.
 */
export async function probeNats(options: NatsProbeOptions, probing: Probing): Promise<void> {
  const { subject, queue = "" } = options;
  const connection = await openNats(options, probing);
  if (probing.role === "output") await probePublishing(connection, subject, probing);
  else if (isFixed(subject)) {
    await probing.check(`right to subscribe to ${subject}`, () =>
      trySubscription(connection, subject, queue),
    );
  } else probing.skip("right to subscribe", "the subject is only known with a request");
}

/** Tests the addresses and logs in. Tests the addresses without TLS, which NATS starts only after a greeting. */
export async function openNats(address: NatsAddress, probing: Probing): Promise<NatsConnection> {
  if (probing.isComputed(address, "urls", "tls", "auth")) return probing.stop();
  const servers = parseAddresses(address.urls).servers.map(hostAndPort);
  const isThere = await probeAddresses(servers, probing);
  if (!isThere) return probing.stop();
  return probing.open("login", () => logIn(address), disconnectNats);
}

function hostAndPort(server: string): { host: string; port: number } {
  const colon = server.lastIndexOf(":");
  return { host: server.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(server.slice(colon + 1)) };
}

async function logIn(address: NatsAddress): Promise<NatsConnection> {
  try {
    return await connectNats(address, probeContext());
  } catch (error) {
    throw understand(error);
  }
}

async function trySubscription(connection: NatsConnection, subject: string, queue: string): Promise<void> {
  let isRefused = false;
  void watchRefusals(connection, () => {
    isRefused = true;
  });
  connection.subscribe(subject, { callback: () => undefined }).unsubscribe();
  await connection.flush();
  await nextTurn(); // a refusal arrives before the pong, but the client reports it one turn later
  if (!isRefused) return;
  if (queue !== "") {
    throw new NotTested(
      `the user may not subscribe without the queue ${queue}, in which it would consume messages`,
    );
  }
  throw new ProbeFailure("forbidden", "the user may not subscribe to it", {
    advice: `Allow ${subject} in the user's permissions, under \`subscribe\``,
  });
}

/** Calls `onRefused` for refused subscriptions. Uses connection events, as an ended subscription receives none. */
async function watchRefusals(connection: NatsConnection, onRefused: () => void): Promise<void> {
  for await (const status of connection.status()) {
    const error = status.type === "error" ? status.error : undefined;
    if (error instanceof PermissionViolationError && error.operation === "subscription") onRefused();
  }
}

/** Explains a failure of the client if its reason is known. */
function understand(error: unknown): unknown {
  if (hasReason(error, "authorization violation")) {
    return new ProbeFailure("authentication", "the server does not accept the login", {
      advice: "Correct the user and password, or the token, in `urls`, or what `auth` names",
      cause: error,
    });
  }
  if (hasReason(error, "user authentication expired", "account authentication expired")) {
    return new ProbeFailure("authentication", "the credentials have expired", {
      advice: "Have new ones issued",
      cause: error,
    });
  }
  if (hasReason(error, "server does not support 'tls'", "'tls' is not available on this server")) {
    return new ProbeFailure("tls", "the server does not offer TLS", {
      advice: "Switch `tls` off here, or on in the server",
      cause: error,
    });
  }
  return error;
}

/** Returns whether the client failed for one of `reasons`. */
export function hasReason(error: unknown, ...reasons: readonly NatsReason[]): boolean {
  return causesOf(error).some((cause) => reasons.some((reason) => reason === reasonOf(cause)));
}
