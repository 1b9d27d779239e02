// Sends the deliveries in the store as requests to subscribers: the deliveries of a subscription one after another,
// those of different subscriptions concurrently.

import { createHmac } from "node:crypto";
import { Agent, type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { Agent as EncryptedAgent, request as encryptedRequest } from "node:https";
import { isIP } from "node:net";
import { backoffDelay } from "../../concurrency/backoff.ts";
import type { Logger } from "../../process/log.ts";
import { connectionHeaders } from "../../requests/describe.ts";
import {
  ClosedTargetError,
  closedTarget,
  hostOf,
  isPublic,
  publicLookup,
} from "../../requests/public-addresses.ts";
import { requestedPause } from "../../requests/settings.ts";
import type { Store } from "../../store/store.ts";
import type { Webhook } from "../generated/webhook.ts";
import type { WebhooksOptions } from "../generated/webhooks-options.ts";
import { leaseMargin, type QueueTurn, type ServedQueues, serveQueues } from "../leased-queues.ts";
import type { StoredEvent } from "./deliveries.ts";
import {
  AttemptLog,
  deleteUnwanted,
  findNext,
  markFailed,
  markReceived,
  type NextDelivery,
  releaseQueue,
  renewLease,
  sweep,
  takeQueues,
} from "./queues.ts";
import { keyOfSecret, type Sealing } from "./secrets.ts";

/** The request of an attempt. */
interface WebhookAttempt {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The result of an attempt. */
type WebhookOutcome =
  | { readonly kind: "received"; readonly status: number }
  | {
      readonly kind: "failed";
      /** Absent if there was no response. */
      readonly status?: number;
      /** The reason, for the operator of the gateway and the owner of the subscription. */
      readonly reason: string;
      /** The pause that the receiver requests before the next attempt, in milliseconds. */
      readonly pause: number;
      /** Whether the receiver responded with 410: it wants no more deliveries. */
      readonly isGone: boolean;
    };

/** Makes attempts over connections that it keeps open. */
interface WebhookAttempts {
  /** Never rejects. If `signal` is aborted, the attempt ends as failed. */
  make(attempt: WebhookAttempt, signal: AbortSignal): Promise<WebhookOutcome>;
  /** Closes the connections. */
  close(): void;
}

/** The maximum number of response bytes read to keep the connection; their content is ignored. */
const mostAnswerBytes = 64 * 1024;

/** Milliseconds that idle connections are kept open. */
const idleTime = 30_000;

/** Opens no connection before the first attempt. `timeout`: milliseconds for an attempt. */
export function createAttempts(timeout: number, allowPrivate: boolean): WebhookAttempts {
  // IP addresses in URLs are not looked up, so compare them with the closed networks before each attempt.
  const options = {
    keepAlive: true,
    timeout: idleTime,
    ...(!allowPrivate && { lookup: publicLookup() }),
  };
  const plain = new Agent(options);
  const encrypted = new EncryptedAgent(options);

  async function make({ url, headers, body }: WebhookAttempt, signal: AbortSignal): Promise<WebhookOutcome> {
    const host = hostOf(url);
    if (!allowPrivate && isIP(host) !== 0 && !isPublic(host)) return failed(closedTarget);
    const isEncrypted = url.protocol === "https:";
    const late = AbortSignal.timeout(timeout);
    try {
      const answer = await exchange(isEncrypted ? encryptedRequest : plainRequest, body, {
        host,
        port: url.port || (isEncrypted ? 443 : 80),
        path: url.pathname + url.search,
        method: "POST",
        headers: { ...headers, "content-length": String(body.byteLength) },
        agent: isEncrypted ? encrypted : plain,
        signal: AbortSignal.any([signal, late]),
      });
      return outcomeOf(answer);
    } catch (error) {
      return failed(late.aborted ? `No answer within ${timeout} ms` : reasonOf(error));
    }
  }

  return {
    make,
    close() {
      plain.destroy();
      encrypted.destroy();
    },
  };
}

type Request = typeof plainRequest | typeof encryptedRequest;

/** Sends a request. Resolves with the response once it is complete, or longer than is read. */
function exchange(request: Request, body: Uint8Array, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options);
    outgoing.on("error", reject);
    outgoing.once("response", (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.byteLength;
        if (bytes <= mostAnswerBytes) return;
        resolve(answer);
        answer.destroy();
      });
      // The status counts even if the rest of the response is lost.
      answer.once("close", () => resolve(answer));
      answer.on("error", () => resolve(answer));
    });
    outgoing.end(body);
  });
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): WebhookOutcome {
  if (status >= 200 && status < 300) return { kind: "received", status };
  const isRedirect = status >= 300 && status < 400;
  const reason = isRedirect
    ? `Answered with status ${status}, and redirects are not followed`
    : `Answered with status ${status}`;
  return { kind: "failed", status, reason, pause: requestedPause(headers), isGone: status === 410 };
}

/** Returns only the code of connection failures, because their messages may contain resolved addresses. */
function reasonOf(error: unknown): string {
  if (error instanceof ClosedTargetError) return closedTarget;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return code === "" ? "The connection failed" : `The connection failed (${code})`;
}

/** Returns the outcome of an attempt that failed without a response. */
function failed(reason: string): WebhookOutcome {
  return { kind: "failed", reason, pause: 0, isGone: false };
}

/** Headers about the transport of the body, which events must not set. */
const ownNames: ReadonlySet<string> = new Set([...connectionHeaders, "user-agent"]);

/** Returns the request, signed at `now` (Unix milliseconds). Throws an `Error` if a secret cannot be read. */
function envelopeOf(
  delivery: { readonly id: string; readonly event: StoredEvent; readonly record: string },
  sealing: Sealing,
  now: number,
): WebhookAttempt {
  const { id, event } = delivery;
  const { url, secret = "" }: Webhook = JSON.parse(delivery.record);
  const body = Buffer.from(event.body, "base64");
  const timestamp = Math.floor(now / 1000);
  // The secret of the subscription comes first.
  const secrets = [secret, event.secret].filter((each) => each !== null);
  const keys = secrets.map((each) => keyOf(sealing.open(each)));
  const given: Readonly<Record<string, string>> = JSON.parse(event.headers);
  return {
    url: new URL(url),
    headers: {
      ...Object.fromEntries(Object.entries(given).filter(([name]) => isForEvents(name))),
      "user-agent": "sluice",
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signatureOf({ id, timestamp, body }, keys),
      "webhook-event": event.event,
    },
    body,
  };
}

/** Whether an event may set a header. `name` is in lower case. */
function isForEvents(name: string): boolean {
  return !ownNames.has(name) && !name.startsWith("webhook-");
}

function keyOf(secret: string): Buffer {
  const key = keyOfSecret(secret);
  if (key === undefined) throw new Error("a secret is not base64");
  return key;
}

// Signatures of webhooks, according to "Standard Webhooks" (version 1.0.0, "signature scheme").

/** The content that is signed. */
interface SignedContent {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/**
 * Returns the header `webhook-signature`: `v1,BASE64` for each key, separated by spaces. One valid one is sufficient.
 */
function signatureOf({ id, timestamp, body }: SignedContent, keys: readonly Uint8Array[]): string {
  return keys
    .map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64"))
    .map((digest) => `v1,${digest}`)
    .join(" ");
}

/** The `webhooks` block with all defaults; times in milliseconds. */
export type WebhookSettings = Required<WebhooksOptions>;

/** Milliseconds between two polls for deliveries that other gateways added or left behind. */
const lookEvery = 500;
/** The number of deliveries after which a subscription lets others have its turn. */
const turnLength = 100;
/** The longest pause that a receiver may request, in milliseconds. */
const longestRequestedPause = 24 * 3_600_000;

export interface WebhookSenderOptions {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly settings: WebhookSettings;
  readonly log: Logger;
}

/** Starts to send. `close` also closes the connections. */
export function createSender(options: WebhookSenderOptions): ServedQueues {
  const { store, settings, log } = options;
  const attempts = createAttempts(settings.timeout, settings.allow_private);

  /** Sends deliveries of a subscription until there are none left, one fails, or its turn is over. */
  async function serve(subscription: string, turn: QueueTurn): Promise<void> {
    let renewed = performance.now();
    const received: string[] = [];
    const made = new AttemptLog();
    for (let count = 0; count < turnLength && !turn.stopping.aborted; count += 1) {
      if (performance.now() - renewed > leaseMargin) {
        if (!(await renewLease(store, subscription, await turn.lease(), made))) return;
        renewed = performance.now();
      }
      const delivery = await findNext(store, subscription);
      if (delivery === undefined) break;
      const began = { date: new Date().toISOString(), at: performance.now() };
      const outcome = await attempt(delivery, turn.cutting);
      if (turn.cutting.aborted && outcome.kind === "failed") break;
      made.add(delivery, {
        date: began.date,
        delivery: delivery.id,
        event: delivery.event.event,
        ...(outcome.status !== undefined && { status: outcome.status }),
        failure: outcome.kind === "failed" ? outcome.reason : "",
        duration: Math.round(performance.now() - began.at),
      });
      if (outcome.kind === "received") {
        await markReceived(store, subscription, delivery);
        received.push(delivery.event.id);
        logDelivery("debug", "a webhook was delivered", subscription, delivery);
        continue;
      }
      await fail(subscription, delivery, outcome, turn);
      break;
    }
    await store.read((connection) => deleteUnwanted(connection, received));
    await releaseQueue(store, subscription, await turn.lease(), made);
  }

  async function attempt(delivery: NextDelivery, cutting: AbortSignal): Promise<WebhookOutcome> {
    try {
      return await attempts.make(envelopeOf(delivery, options.sealing, Date.now()), cutting);
    } catch (error) {
      log.error("a webhook cannot be signed", { delivery: delivery.id, error });
      return failed("It could not be signed");
    }
  }

  async function fail(
    subscription: string,
    delivery: NextDelivery,
    { reason, pause, isGone }: Extract<WebhookOutcome, { readonly kind: "failed" }>,
    turn: QueueTurn,
  ): Promise<void> {
    const { retry_period: first, max_retry_backoff: longest } = settings;
    const own = backoffDelay(delivery.failures, { first, longest });
    const delay = Math.max(own, Math.min(pause, longestRequestedPause));
    const isLast = !isGone && delivery.attempts + 1 >= settings.max_attempts;
    const { holder, now } = await turn.lease();
    const due = now + Math.ceil(delay);
    await markFailed(store, subscription, delivery, holder, {
      reason,
      due,
      isLast,
      isGone,
      maxDead: settings.max_dead,
    });
    if (isGone) logDelivery("warn", "a webhook was disabled by its receiver", subscription, delivery);
    else if (isLast)
      logDelivery(
        "warn",
        "a webhook was not delivered and is no longer retried",
        subscription,
        delivery,
        reason,
      );
    else if (delivery.failures === 0)
      logDelivery("warn", "a webhook was not delivered", subscription, delivery, reason);
    turn.lookAfter(delay);
  }

  function logDelivery(
    level: "debug" | "warn",
    message: string,
    webhook: string,
    { id, event }: NextDelivery,
    reason?: string,
  ): void {
    log[level](message, {
      webhook,
      delivery: id,
      event: event.event,
      ...(reason !== undefined && { reason }),
    });
  }

  const queues = serveQueues({
    name: "webhook delivery",
    store,
    log,
    mostAtOnce: settings.max_in_flight,
    attemptTime: settings.timeout,
    lookEvery,
    take: (lease, most) => takeQueues(store, lease, most),
    serve,
    sweep: () => sweep(store, new Date(Date.now() - settings.dead_retention).toISOString()),
  });
  return {
    wake: queues.wake,
    async close() {
      await queues.close();
      attempts.close();
    },
  };
}
