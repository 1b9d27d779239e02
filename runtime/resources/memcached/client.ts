// The connections to all servers of a cache, repaired when they are lost.

import type { ComponentContext } from "../../component/component.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { type AskingPauses, askAgain } from "../asking-again.ts";
import { memcachedServers, placeOf } from "./addresses.ts";
import type { MemcachedAnswer } from "./answers.ts";
import { createMemcachedConnection, type MemcachedConnection } from "./connection.ts";

/** Asks the server that has a key. */
export interface MemcachedClient {
  /** Connects to all servers; rejects with a `GatewayError` when that is not possible now. */
  start(context: ComponentContext): Promise<void>;
  /**
   * The answer to a whole command about `key`. A question without an answer is asked again for a while, unless it may have
   * been sent and `mayRepeat` is false; then it rejects with a `GatewayError`.
   */
  ask(key: Uint8Array, command: Uint8Array, mayRepeat?: boolean): Promise<MemcachedAnswer>;
  close(): void;
}

/** A client that is not connected yet. */
export function createMemcachedClient(addresses: readonly string[], pauses: AskingPauses): MemcachedClient {
  const closing = new AbortController();
  let context: ComponentContext | undefined;

  /** Tries to connect until that succeeds or the cache is closed. */
  async function reconnect(connection: MemcachedConnection, endOutage: EndCondition): Promise<void> {
    const question = { ask: () => connection.open(), isReady: () => false };
    const untilClosed = { ...pauses, max_elapsed_time: Number.POSITIVE_INFINITY };
    try {
      await askAgain(question, untilClosed, closing.signal);
    } catch (error) {
      if (!closing.signal.aborted) throw error;
      return;
    }
    context?.log.info("connected to memcached again");
    endOutage();
  }

  const connections = memcachedServers(addresses).map((server) => {
    const connection = createMemcachedConnection(server, (error) => {
      if (context === undefined || context.signal.aborted) return;
      context.log.warn("memcached connection lost, reconnecting", { error });
      const end = context.beginOutage?.("the connection to memcached is lost") ?? (() => undefined);
      void reconnect(connection, end);
    });
    return connection;
  });

  return {
    async start(given) {
      await Promise.all(connections.map((connection) => connection.open()));
      context = given;
    },
    async ask(key, command, mayRepeat = true) {
      const connection = connections[placeOf(key, connections.length)];
      if (connection === undefined) throw new Error("A cache has no servers");
      const question = {
        ask: () => connection.ask(command),
        isReady: () => connection.isReady,
        mayRepeat,
      };
      return askAgain(question, pauses, closing.signal);
    },
    close() {
      closing.abort();
      for (const connection of connections) connection.close();
    },
  };
}
