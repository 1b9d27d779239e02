// Tests that open connections end when what authorizes them is changed.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import type { Broker } from "../../harness/brokers/broker.ts";
import { postgres, redis } from "../../harness/brokers.ts";
import { until, within } from "../../harness/wait.ts";
import { freshDatabase, freshFile } from "../store/databases.ts";
import {
  askForNext,
  type LastingApi,
  lastingApi,
  lastingUpstream,
  openAll,
  openSession,
} from "./open-connections.ts";
import { inStore, startPortal, type TestPortal } from "./portals.ts";
import {
  certificates,
  closeAll,
  type ends,
  forgetCatalogue,
  type Given,
  give,
  openWebhook,
  protectedBy,
} from "./rights-that-end.ts";

/** The upstream of the APIs. */
export const upstream = await lastingUpstream();

/**
 * Opens the connections that a credential of that kind keeps open. Resolves when each that receives messages has
 * received one.
 */
async function open(served: TestPortal, { feed, told }: LastingApi, given: Given, first: string) {
  if (given.kind === "session") return [openSession(served.url, given)];
  if (given.kind === "webhook") {
    await told.deliver(first);
    return [openWebhook(given)];
  }
  const all = await openAll(served.url, given);
  await feed.deliver(first);
  all.push(await askForNext(served.url, given));
  return all;
}

/** Checks what clients see at the end, by the kind of their connection. */
export function assertEnd(kind: string, seen: string, what: string): void {
  const shapes: Readonly<Record<string, RegExp>> = {
    events: /^200 event: closed\ndata: \{"error":"[A-Z].+"\}\n\n$/,
    "long poll": /^40[13] \{"error":"[A-Z].+"\}$/,
    "proxied answer": /^cut$/,
    socket: /^1008 [A-Z].+$/,
    "sending socket": /^1008 [A-Z].+$/,
    "proxied socket": /^1008 [A-Z].+$/,
    "proxied events": /^200 event: closed\ndata: \{"error":"[A-Z].+"\}\n\n$/,
    "begun event": /^cut$/,
    "begun frame": /^1006$/,
    session: /^401$/,
    webhook: /^$/,
  };
  assert.match(seen, shapes[kind] ?? /^$/, `${what}: ${JSON.stringify(seen)}`);
}

/** The listener for HTTPS, which accepts client certificates. */
export function secure() {
  return secureListener({
    cert_file: certificates.server.certFile,
    key_file: certificates.server.keyFile,
    client_ca_file: certificates.authority.certFile,
    client_certificates: "optional",
  });
}

async function startTwo(
  address: Parameters<typeof startPortal>[0],
  environment: Record<string, string>,
  one: boolean,
) {
  const here = lastingApi(upstream.url, true);
  const page = portalPage;
  const more = { methods: protectedBy, environment, page, countsAsSaid: true };
  const first = await startPortal(address, [], { ...more, api: here.api });
  if (one) return { changed: first, served: first, here, close: () => first.close() };
  const there = lastingApi(upstream.url, true);
  const second = await startPortal(address, [], { ...more, api: there.api, tls: secure });
  const served = { ...second, url: second.url.replace("http:", "https:") };
  const close = () => Promise.all([first.close(), second.close()]);
  return { changed: first, served, here: there, close };
}

const brokers: Broker[] = [];

/** A kind of credential by the changes that end its connections. */
export type Ends = typeof ends;

/** Tests that every change ends the connections of its kind of credential, and no others, at one gateway. */
export function testOneGateway(tested: Ends): void {
  testEnds("one gateway", tested, async () => startTwo(await freshFile(), {}, true));
}

/** Does so at another gateway than the one that makes the changes. */
export function testAnotherGateway(tested: Ends): void {
  testEnds("another gateway of the same PostgreSQL and Redis", tested, async () => {
    const [server, shared] = await Promise.all([postgres(), redis()]);
    brokers.push(server, shared);
    return startTwo(await freshDatabase(server), { GW_REDIS_URL: shared.address }, false);
  });
}

function testEnds(title: string, tested: Ends, start: () => ReturnType<typeof startTwo>): void {
  const kinds = Object.keys(tested);
  test(`open connections end when what authorizes them is changed at ${title}`, async () => {
    forgetCatalogue();
    const { changed, served, here, close } = await start();
    // The keys of the issuer change for all; sessions and webhooks open no connections.
    const lasting = kinds.filter((kind) => !["published", "session", "webhook"].includes(kind));
    const stays: Awaited<ReturnType<typeof openAll>>[] = [];
    // One after another: credentials of several kinds share the catalogue.
    for (const kind of lasting) stays.push(await openAll(served.url, await give(changed, kind)));
    const subscriber = openWebhook(await give(changed, "webhook"));
    try {
      for (const kind of kinds) {
        for (const [name, end] of (tested[kind] ?? []).flatMap((each) => Object.entries(each))) {
          const what = `${kind}: ${name}`;
          const given = await give(changed, kind);
          const opened = await open(served, here, given, `before ${what}`);
          // If a webhook is disabled before a response is read, the delivery waits until it is enabled again.
          if (kind === "webhook") await allDelivered(changed, `before ${what}`);
          const answer = await end(changed, given, served);
          assert.ok(answer === undefined || answer.status === 200, `${what}: ${answer?.status}`);
          for (const each of opened) {
            const seen = await within(each.ended, { what: `the end of ${each.kind}, ${what}` });
            assertEnd(each.kind, seen, `${what}, ${each.kind}`);
          }
          await here.feed.deliver(`after ${what}`);
          if (kind === "webhook") {
            await here.told.deliver(`after ${what}`);
            await until(() => subscriber.got.includes(`after ${what}`), { what: "the webhook of another" });
            await allDelivered(changed, what);
          }
          assert.not.ok(
            opened.some(({ got }) => got.join().includes(`after ${what}`)),
            what,
          );
        }
      }
      const last = "after token: its policy is narrowed";
      for (const [position, [events, answer, socket, sending]] of stays.entries()) {
        const kind = lasting[position];
        const hasLast = () => events?.got.join().includes(last) && socket?.got.includes(last);
        await until(hasLast, { what: `the last message, ${kind}` });
        sending?.send?.(`still here, ${kind}`);
        const isReceived = () => here.received.texts.includes(`still here, ${kind}`);
        await until(isReceived, { what: `the message of a client that stays, ${kind}` });
        assert.equal(answer?.got, ["first\n"]);
      }
    } finally {
      for (const each of stays.flat()) each.close();
      await close();
    }
  });
}

/** Waits until no delivery to a webhook is pending. */
async function allDelivered({ address }: TestPortal, what: string): Promise<void> {
  const waiting = () =>
    inStore(address, (connection) => connection.selectFrom("webhook_deliveries").select("id").execute());
  await until(async () => (await waiting()).length === 0, { what: `${what}: no delivery waits` });
}

/** Closes everything that this module has started. */
export async function closeEverything(): Promise<void> {
  await upstream.close();
  await closeAll();
  await Promise.all(brokers.map((broker) => broker.stop()));
}
