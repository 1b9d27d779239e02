import { setTimeout as pause } from "node:timers/promises";
import { messageOf, type Source } from "../source.ts";

const requests = 64;

/** Clients that post each message until the gateway answers 200. */
export function httpSource(): Source {
  let unanswered = 0;

  /** Whether the gateway has confirmed the message. */
  async function post(url: string, message: string): Promise<boolean> {
    try {
      const response = await fetch(url, { method: "POST", body: message });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false; // the gateway is gone: the client cannot know whether it received the message
    }
  }

  return {
    input: { http_server: { path: "/numbers", allowed_verbs: ["POST"], timeout: "120s" } },
    inFlight: requests,
    async send(gateway, range) {
      let next = range.first;
      unanswered += range.end - range.first;
      const client = async () => {
        for (let number = next++; number < range.end; number = next++) {
          const message = messageOf(number, range);
          while (!(await post(`${gateway.url}/numbers`, message))) await pause(20);
          unanswered -= 1;
        }
      };
      await Promise.all(Array.from({ length: requests }, client));
    },
    remaining: async () => unanswered,
  };
}
