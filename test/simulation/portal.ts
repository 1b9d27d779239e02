import { receiver } from "../runtime/portal/receivers.ts";
import { keys } from "./gateway-set.ts";
import type { Replica } from "./replica.ts";

/** The credential of the portal's administrator. */
export const portalToken = "the-token-of-administrators";

/** Milliseconds that a caller waits for a response during a fault, which may prevent it for ever. */
const patience = 3_000;

/** The outcome for the portal, which all replicas serve from one store. */
export interface PortalOutcome {
  /** Events and developers that were answered 200. */
  readonly events: number;
  readonly developers: number;
  /** Events that were answered 200, but that no webhook received. */
  readonly lost: readonly number[];
  /** Webhooks that arrived after a later one, or while another was being sent. */
  readonly disordered: readonly string[];
  /** How often a webhook arrived again because the response to it was lost. */
  readonly repeated: number;
  /** E-mail addresses of developers that were answered 200, but that some replica does not list exactly once. */
  readonly inconsistent: readonly string[];
}

/** Creates a developer whose app has subscribed to an event, and returns functions that use the replicas' portals. */
export async function openPortal(first: Replica) {
  let sending = 0;
  const seen = new Set<string>();
  const disordered: string[] = [];
  let [repeated, last] = [0, ""];
  const hook = await receiver(async ({ headers }) => {
    const id = String(headers["webhook-id"]);
    sending += 1;
    if (sending > 1) disordered.push(`${id} beside another`);
    if (seen.has(id)) {
      repeated += 1;
      if (id !== last) disordered.push(`${id} after ${last}`);
    }
    seen.add(id);
    last = id;
    await new Promise((resolve) => setTimeout(resolve, 5));
    sending -= 1;
    return {};
  });

  /** Resolves with the response, however long it takes: an overloaded machine takes seconds to hash a password. */
  async function ask(
    replica: Replica,
    method: string,
    path: string,
    { body, signal }: { readonly body?: object; readonly signal?: AbortSignal } = {},
  ) {
    const answer = await fetch(`${replica.url}/api/portal${path}`, {
      method,
      headers: { authorization: portalToken, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    const text = await answer.text();
    return { status: answer.status, text };
  }
  /** Creates an object and returns the `Message` of the response. Throws on failure, since no fault happens yet. */
  async function make(path: string, body: object): Promise<string> {
    const { status, text } = await ask(first, "POST", path, { body });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return (JSON.parse(text) as { Message: string }).Message; // the API of the portal spells it so
  }

  const webhooks = { enabled: true, events: ["number"] };
  await make("/catalogue", { apis: [{ name: "Shared", api_id: "shared", webhooks }] });
  const by_user = await make("/developers", { email: "first@example.com", password: "a long password" });
  const app = await make("/apps", { name: "Till", by_user, products: ["shared"] });
  await make(`/apps/${app}/webhooks`, { url: hook.url, events: ["number"] });

  const events: number[] = [];
  const emails: string[] = [];
  let next = 0;

  /** Posts an event, and creates a developer twice at the same moment. */
  async function use(replica: Replica, other: Replica, limit: number): Promise<void> {
    const number = next;
    next += 1;
    const posted = fetch(`${replica.url}/shared/events`, {
      method: "POST",
      headers: { "x-api-key": keys.many },
      body: JSON.stringify({ n: number }),
      signal: AbortSignal.timeout(limit),
    }).then(async (answer) => {
      await answer.arrayBuffer();
      if (answer.status === 200) events.push(number);
    });
    const email = `developer-${number}@example.com`;
    const made = [replica, other].map(async (each) => {
      const body = { email, password: "a long password" };
      const { status } = await ask(each, "POST", "/developers", {
        body,
        signal: AbortSignal.timeout(limit),
      });
      if (status === 200) emails.push(email);
    });
    // Requests may fail because of the current fault.
    await Promise.allSettled([posted, ...made]);
  }

  return {
    /** Uses the portal once through each running replica; `limit`: milliseconds to wait for responses. */
    async useBy(replicas: readonly Replica[], limit = patience): Promise<void> {
      const running = replicas.filter(({ url }) => url !== undefined);
      await Promise.all(
        running.map((each, index) => use(each, running[(index + 1) % running.length] ?? each, limit)),
      );
    },
    /** Returns the events that were accepted but that no webhook has received yet. */
    untold(): readonly number[] {
      const reported = new Set(hook.bodies().map((body) => (JSON.parse(body) as { n?: number }).n));
      return events.filter((number) => !reported.has(number));
    },
    /** Compares what each replica lists at the end. */
    async judge(replicas: readonly Replica[]): Promise<PortalOutcome> {
      const lists = await Promise.all(
        replicas.map(async (replica) => ({ replica, ...(await ask(replica, "GET", "/developers?p=-1")) })),
      );
      const inconsistent = lists.flatMap(({ replica, status, text }) => {
        const listed: readonly string[] =
          status === 200 ? (text.match(/developer-\d+@example\.com/g) ?? []) : [];
        return [...new Set(emails)]
          .filter((email) => new Set(listed).size !== listed.length || !listed.includes(email))
          .map((email) => `${email} at ${replica.name} (${status})`);
      });
      const twice = emails.filter((email, index) => emails.indexOf(email) !== index);
      return {
        events: events.length,
        developers: emails.length,
        lost: this.untold(),
        disordered,
        repeated,
        inconsistent: [...inconsistent, ...twice.map((email) => `${email} was made twice`)],
      };
    },
    close: () => hook.close(),
  };
}
