import type { ComponentContext, Output } from "../../component/component.ts";
import { type MessageOutcome, WritesInTurns } from "../../component/outcomes.ts";
import { GatewayError } from "../../errors.ts";
import type { Batch } from "../../message/message.ts";

/** A connection that messages are published on. */
export interface Publisher {
  /** Publishes a batch, in order. `outcome` receives the outcome of each message, unless this throws. */
  publish(batch: Batch, outcome: MessageOutcome): void;
  /** Disconnects; no message may be in progress any longer. */
  close(): Promise<void>;
}

/** Returns an output that opens a publisher when it starts, and has at most `limit` writes in progress. */
export function connectedOutput(
  limit: number,
  open: (context: ComponentContext) => Promise<Publisher>,
): Output {
  let publisher: Publisher | undefined;
  const writes = new WritesInTurns(limit, (batch, outcome) => {
    if (publisher === undefined) throw new GatewayError(503, "NATS is not connected");
    publisher.publish(batch, outcome);
  });
  return {
    async start(context) {
      publisher = await open(context);
    },
    write: (batch) => writes.write(batch),
    writeEach: (messages, listener) => writes.writeEach(messages, listener),
    async close() {
      await writes.idle();
      await publisher?.close();
    },
  };
}
