// Requests to a provider, whose answers are not trusted to be small or soon.

import { readAtMost } from "../requests/bounded-answer.ts";

/** Bytes of an answer: discovery documents and key sets fit several times. */
const longest = 256 * 1024;
/** Milliseconds for the whole of it. */
const patience = 10_000;

/** What a request consists of; its redirections and its end are not the caller's. */
interface BoundedRequest {
  readonly method?: string | undefined;
  readonly headers?: RequestInit["headers"] | undefined;
  readonly body?: RequestInit["body"] | undefined;
}

/** Sends a request as `fetch` does. */
export type BoundedFetch = (address: string, request: BoundedRequest) => Promise<Response>;

/** Whether an address is of this machine, which development and tests may reach without TLS. */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

/**
 * Requests of `https`, or to this machine where `allowsLoopback`. Redirections are not followed. Rejects with a `TypeError`
 * for other addresses and for answers that are too long, and with what `fetch` rejects with.
 */
export function createBoundedFetch(allowsLoopback: boolean, signal: AbortSignal): BoundedFetch {
  return async (address, { method = "GET", headers: sent = {}, body: content = null }) => {
    const url = new URL(address);
    const isAllowed = url.protocol === "https:" || (allowsLoopback && isLoopback(url));
    if (!isAllowed) throw new TypeError(`${url.origin} is not an origin of https`);
    const signals = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const init = { method, headers: sent, body: content, redirect: "manual", signal: signals } as const;
    const response = await fetch(url, init);
    const body = await readAtMost(response, longest, tooLong);
    const { status, statusText, headers } = response;
    const isEmpty = status === 204 || status === 205 || status === 304;
    return new Response(isEmpty ? null : body, { status, statusText, headers });
  };
}

function tooLong(): TypeError {
  return new TypeError(`an answer is longer than ${longest} bytes`);
}
