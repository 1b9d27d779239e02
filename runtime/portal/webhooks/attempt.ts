// One attempt to deliver an event to one address.

import { Agent, type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { Agent as EncryptedAgent, request as encryptedRequest } from "node:https";
import { isIP } from "node:net";
import {
  ClosedTargetError,
  closedTarget,
  hostOf,
  isPublic,
  publicLookup,
} from "../../requests/public-addresses.ts";
import { askedPause } from "../../requests/settings.ts";

/** What is sent. */
export interface WebhookAttempt {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What came of it. */
export type WebhookOutcome =
  | { readonly kind: "received" }
  | {
      readonly kind: "failed";
      /** For those who operate the gateway or own the subscription. */
      readonly reason: string;
      /** Milliseconds that the receiver asks for before the next one. */
      readonly asked: number;
      /** It wants nothing any more (410). */
      readonly isGone: boolean;
    };

/** Makes attempts over connections that it keeps. */
export interface WebhookAttempts {
  /** Never rejects; aborting `signal` ends it as failed. */
  make(attempt: WebhookAttempt, signal: AbortSignal): Promise<WebhookOutcome>;
  /** Ends the connections. */
  close(): void;
}

/** Bytes of an answer that are read to keep its connection; their content does not matter. */
const mostAnswerBytes = 64 * 1024;
/** Milliseconds that connections are kept for. */
const idleTime = 30_000;

/** Opens nothing before the first attempt; each has `timeout` milliseconds. */
export function createAttempts(timeout: number, allowPrivate: boolean): WebhookAttempts {
  // An address in a URL is not looked up: it is compared with the closed networks before each attempt.
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

/** Sends and gives the answer once it has come whole, or more of it than is needed. */
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
      // What it said first counts, also where the rest is lost.
      answer.once("close", () => resolve(answer));
      answer.on("error", () => resolve(answer));
    });
    outgoing.end(body);
  });
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): WebhookOutcome {
  if (status >= 200 && status < 300) return { kind: "received" };
  const isRedirect = status >= 300 && status < 400;
  const reason = `Answered with status ${status}${isRedirect ? ", and redirects are not followed" : ""}`;
  return { kind: "failed", reason, asked: askedPause(headers), isGone: status === 410 };
}

/** Of failures of a connection only the code is shown: their texts may quote addresses behind names. */
function reasonOf(error: unknown): string {
  if (error instanceof ClosedTargetError) return closedTarget;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `The connection failed${code}`;
}

/** An attempt that failed without an answer. */
export function failed(reason: string): WebhookOutcome {
  return { kind: "failed", reason, asked: 0, isGone: false };
}
