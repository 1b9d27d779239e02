// Connections on their way to a worker. node:cluster keeps one open for ever whose worker dies before it says that it has
// it: the client waits for an answer that no worker will send.

import type { Worker } from "node:cluster";

/** How node:cluster hands over a connection, and what it has for an answer (`lib/internal/cluster`, as of Node 24). */
interface HandOver {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/** Milliseconds between two looks whether all that a dead worker has said has been read. */
const look = 10;

/**
 * Once `worker` is gone, has node:cluster hand what it did not get any more to another one where `isAnotherThere` says
 * that there is one, and close it else. Where Node speaks otherwise with its workers, this does nothing.
 */
export function recoverHandedConnections(worker: Worker, isAnotherThere: () => boolean): void {
  const child = worker.process;
  const underWay = new Set<number>();
  let isParted = false;
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean; // overloaded
  child.send = (message: HandOver, ...others: readonly unknown[]) => {
    if (message.act === "newconn" && message.seq !== undefined) underWay.add(message.seq);
    return send(message, ...others);
  };
  child.on("internalMessage", ({ ack }: HandOver) => {
    if (ack !== undefined) underWay.delete(ack);
  });
  child.once("disconnect", () => {
    isParted = true;
  });

  function recover(): void {
    if (child.connected) {
      setTimeout(recover, look);
      return;
    }
    // Node does not say so while a connection is under way, and would go on to hand others to the dead one.
    if (!isParted) child.emit("disconnect");
    for (const ack of underWay) {
      child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: !isAnotherThere() });
    }
  }
  worker.once("exit", recover);
}
