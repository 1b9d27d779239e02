// Who gets webhooks, and how signatures are held against the convention.

import { Webhook } from "standardwebhooks";
import { type HttpServer, httpServer, type ReceivedRequest, type Reply } from "../../harness/http-server.ts";

/** Who is told of events. */
export interface Receiver extends HttpServer {
  /** What came, whatever it was answered. */
  bodies(): readonly string[];
}

/** A receiver that answers like this. */
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

/** Throws unless the official library finds the signature right. */
export function verify({ headers, body }: ReceivedRequest, secret: string): void {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const webhook = secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" });
  webhook.verify(body, texts);
}
