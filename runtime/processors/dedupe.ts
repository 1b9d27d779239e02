// `dedupe`: drops messages that repeat a delivered message. A key is remembered only when its message is delivered;
// until then, the message is known to be in progress. If the key were remembered earlier, a message that is sent again
// after a failed delivery would be dropped.

import type { ComponentContext, DeliveryScope, Processor } from "../component/component.ts";
import type { Eventually } from "../component/resource.ts";
import { textLedBy } from "../component/text.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { failuresOnce } from "../failures/source-failures.ts";
import type { Message } from "../message/message.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { afterwards } from "./apart.ts";
import { cacheFailure } from "./cache.ts";
import { type DedupeOptions, dedupeDefaults } from "./generated/dedupe-options.ts";
import { inTurn } from "./in-turn.ts";

/** A key whose message is in progress. */
interface Passing {
  readonly scope: DeliveryScope | undefined;
  /** Fulfilled when the message is delivered, rejected if it is not. */
  readonly outcome: Promise<void>;
  settle(delivered: boolean): void;
}

const mark = /* @__PURE__ */ encodeUtf8("t");

/**
 * Passes on the first message with each key (with `LIFO`, the last one of each batch). A message that repeats one in
 * progress is dropped too, but its own delivery then depends on the other one's. A message is marked as failed if its
 * key cannot be computed, or if the lookup of its key fails and `drop_on_err` is off.
 */
export function dedupe(options: DedupeOptions): Processor {
  const { cache, key, drop_on_err: dropOnError, strategy } = { ...dedupeDefaults, ...options };
  const passing = new Map<string, Passing>();
  const reads = failuresOnce("reading the cache of `dedupe`");
  const writes = failuresOnce("writing the cache of `dedupe`, without which duplicates may pass,");

  function pass(message: Message, name: string, context: ComponentContext): Eventually<readonly Message[]> {
    const scope = context.delivery;
    const earlier = passing.get(name);
    if (earlier !== undefined) {
      // Within one delivery, both have the same outcome anyway.
      if (earlier.scope !== scope) scope?.dependOn(earlier.outcome);
      return [];
    }
    const own = createPassing(scope);
    // Added before the lookup: messages with the same key that arrive meanwhile must not pass.
    passing.set(name, own);
    const end = (delivered: boolean) => {
      passing.delete(name);
      own.settle(delivered);
    };
    return attempt(
      () => cache.get(name),
      (found) => {
        reads(context).succeeded();
        if (found !== undefined) {
          end(true);
          return [];
        }
        const settled = async (delivered: boolean) => {
          if (delivered) await remember(name, context);
          end(delivered);
        };
        if (scope !== undefined) scope.onSettled(settled);
        // Nothing reports the outcome, as in tests of single processors: the message counts as delivered immediately.
        else return afterwards(settled(true), () => [message]);
        return [message];
      },
      (error) => {
        end(false);
        reads(context).failed(error);
        return dropOnError ? [] : [message.withFailure(cacheFailure(error))];
      },
    );
  }

  /** Stores a key. If that fails, the message stays delivered, and a repetition then passes. */
  async function remember(name: string, context: ComponentContext): Promise<void> {
    try {
      await cache.set(name, mark);
      writes(context).succeeded();
    } catch (error) {
      writes(context).failed(error);
    }
  }

  return {
    process: (batch, context) =>
      inTurn(
        batch,
        (message, index) => {
          let name: string;
          try {
            name = textLedBy("key interpolation error: ", key, batch, index);
          } catch (error) {
            return [message.withFailure(toGatewayError(error, 500, "the key of dedupe failed"))];
          }
          return pass(message, name, context);
        },
        strategy === "LIFO",
      ),
  };
}

/** Calls `work`, then one of the two callbacks. Synchronous if `work` is. */
function attempt<T, R>(
  work: () => Eventually<T>,
  onValue: (value: T) => Eventually<R>,
  onError: (error: unknown) => R,
): Eventually<R> {
  let value: Eventually<T>;
  try {
    value = work();
  } catch (error) {
    return onError(error);
  }
  return value instanceof Promise ? value.then(onValue, onError) : onValue(value);
}

function createPassing(scope: DeliveryScope | undefined): Passing {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Usually nothing depends on the outcome.
  promise.catch(() => undefined);
  return {
    scope,
    outcome: promise,
    settle(delivered) {
      if (delivered) resolve();
      else reject(new GatewayError(503, "The message that this one repeats was not delivered"));
    },
  };
}
