// Receivers of webhooks, and the check of signatures according to the Standard Webhooks convention.

import { Webhook } from "standardwebhooks";
import { type HttpServer, httpServer, type ReceivedRequest, type Reply } from "../../harness/http-server.ts";

/** A server that receives events. */
export interface Receiver extends HttpServer {
  /** Returns the bodies received, whatever the response was. */
  bodies(): readonly string[];
}

/** Starts a receiver that responds with `answer`. */
export async function receiver(
  answer: (request: ReceivedRequest, count: number) => Reply | Promise<Reply> = () => ({}),
): Promise<Receiver> {
  let count = 0;
  const server = await httpServer((request) => {
    count += 1;
    return answer(request, count);
  });
  return { ...server, bodies: () => server.requests.map(({ body }) => body) };
}

/** Throws unless the official library accepts the signature. */
export function verify({ headers, body }: ReceivedRequest, secret: string): void {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const webhook = secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" });
  webhook.verify(body, texts);
}
