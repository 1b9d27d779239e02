// The client of the operator listener for `sluice top`. It validates responses, since another server may be at the
// address.

import { unexpectedStatus, unreachable } from "../../compiler/embed/connections/unreachable.ts";

/** The state of a stream at one time. */
export interface SeenStream {
  /** `api/stream`, with the numbers of its instance and worker if it has some. */
  readonly name: string;
  readonly status: string;
  /** Why it failed or is blocked; empty if it did neither. */
  readonly reason: string;
  readonly attempts: number | undefined;
  /** ISO time of the first failed attempt. */
  readonly since: string | undefined;
  /** The position of the message that cannot be delivered, as JSON. */
  readonly source: string | undefined;
  readonly received: number;
  readonly delivered: number;
  readonly failed: number;
  readonly inFlight: number;
  readonly lag: number | undefined;
  readonly clients: number | undefined;
}

/** The state of a gateway at one time. */
export interface Look {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly isReady: boolean;
  /** Version of Sluice; empty if the gateway does not report it. */
  readonly version: string;
  /** Milliseconds since 1970; `undefined` if the gateway does not report it. */
  readonly startedAt: number | undefined;
  readonly streams: readonly SeenStream[];
}

/** The listener is unreachable, or the server is not an operator listener. The message is for people. */
export class AdminFailure extends Error {
  override readonly name = "AdminFailure";
}

/** Timeout of a response in milliseconds, and its maximum size in bytes. */
const patience = 5_000;
const largest = 16 * 1024 * 1024;

/** Returns the state of the gateway whose operator listener is at `url`. `token` is sent if it is defined. */
export async function lookAt(url: URL, token: string | undefined, signal: AbortSignal): Promise<Look> {
  const ask = (path: string, others: readonly number[] = []) =>
    askJson(new URL(path, url), token, signal, others);
  const [readiness, info, streams] = await Promise.all([ask("readyz", [503]), ask("info"), ask("streams")]);
  const rows = streams.streams;
  if (!Array.isArray(rows)) throw new AdminFailure(`${url.origin} is not an admin listener`);
  const startedAt = Date.parse(textOf(info.startedAt));
  return {
    at: Date.now(),
    isReady: readiness.status === "ready",
    version: textOf(info.version),
    startedAt: Number.isNaN(startedAt) ? undefined : startedAt,
    streams: rows.map((row: unknown) => readStream(fieldsOf(row))),
  };
}

type Fields = Readonly<Record<string, unknown>>;

async function askJson(
  address: URL,
  token: string | undefined,
  signal: AbortSignal,
  others: readonly number[],
): Promise<Fields> {
  const answer = await fetch(address, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
  }).catch((error: unknown) => {
    throw new AdminFailure(unreachable(address.origin, error, patience));
  });
  const text = await readText(answer, address).catch((error: unknown) => {
    throw error instanceof AdminFailure
      ? error
      : new AdminFailure(unreachable(address.origin, error, patience));
  });
  if (answer.status === 401) {
    throw new AdminFailure(
      `${address.origin} requires a token: set GW_ADMIN_TOKEN to the token of the gateway`,
    );
  }
  if (!answer.ok && !others.includes(answer.status)) {
    throw new AdminFailure(unexpectedStatus(address.origin, answer.status));
  }
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    throw new AdminFailure(`${address.origin} is not an admin listener`);
  }
}

async function readText({ body }: Response, { origin }: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > largest) throw new AdminFailure(`${origin} answers with more than ${largest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readStream(row: Fields): SeenStream {
  const messages = fieldsOf(row.messages);
  const blocked = fieldsOf(row.blocked);
  const [instance, worker] = [numberOf(row.instance), numberOf(row.worker)];
  return {
    name: [
      `${textOf(row.api)}/${textOf(row.stream)}`,
      ...(instance === undefined ? [] : [`#${instance}`]),
      ...(worker === undefined ? [] : [`@${worker}`]),
    ].join(""),
    status: textOf(row.status),
    reason: textOf(row.reason),
    attempts: numberOf(blocked.attempts),
    since: typeof blocked.since === "string" ? blocked.since : undefined,
    source: blocked.source === undefined ? undefined : JSON.stringify(blocked.source),
    received: numberOf(messages.received) ?? 0,
    delivered: numberOf(messages.delivered) ?? 0,
    failed: numberOf(messages.failed) ?? 0,
    inFlight: numberOf(messages.inFlight) ?? 0,
    lag: numberOf(row.lag),
    clients: numberOf(row.clients),
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
