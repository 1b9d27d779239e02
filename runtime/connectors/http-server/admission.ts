// A rate limit in front of an input: requests are refused with a time to retry, frames are delayed.

import type { InputContext } from "../../component/component.ts";
import type { HttpExchange } from "../../component/endpoint.ts";
import { waitForLimit } from "../../component/rate-limit-wait.ts";
import type { RateLimit } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import { sendText } from "../../sockets/frames.ts";
import type { AdmitFrame } from "../../sockets/socket-input.ts";

/** Why a request may not come in now, before its body is read; `undefined` when it may. */
export async function refusal(
  limit: RateLimit | undefined,
  { request }: HttpExchange,
  { log }: InputContext,
): Promise<GatewayError | undefined> {
  if (limit === undefined) return undefined;
  try {
    const wait = await limit.take(Number(request.headers["content-length"] ?? 0));
    if (wait <= 0) return undefined;
    return new GatewayError(429, "Too many requests", { retryAfter: Math.ceil(wait / 1000) });
  } catch (error) {
    log.warn("rate limit unavailable", { error });
    return new GatewayError(503, "Rate limit unavailable", { retryAfter: 1 });
  }
}

/** Delays frames until `limit` lets them through; the client gets a notice, where there is a text. */
export function createFrameAdmission(
  limit: RateLimit | undefined,
  notice: string,
  context: InputContext,
): AdmitFrame | undefined {
  if (limit === undefined) return undefined;
  const { log, signal } = context;
  return async (batch, socket) => {
    const onHeld = notice === "" ? undefined : () => sendText(socket, notice);
    for (const message of batch) await waitForLimit(limit, message.bytes().length, { log, signal, onHeld });
  };
}
