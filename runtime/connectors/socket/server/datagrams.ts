import { createSocket } from "node:dgram";
import { isIPv6 } from "node:net";
import type { InputContext } from "../../../component/component.ts";
import { GatewayError } from "../../../errors.ts";
import { hostAndPort } from "../address.ts";

/** Bytes of datagrams that wait; UDP waits for nobody, and further ones are dropped. */
const waitingLimit = 64 * 1024 * 1024;

/** Receives datagrams, one after the other, until the function that it gives is called. */
export async function receiveDatagrams(
  address: string,
  context: InputContext,
  take: (datagram: Uint8Array) => Promise<void>,
): Promise<() => Promise<void>> {
  const { host, port } = hostAndPort(address);
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  let last = Promise.resolve();
  let waiting = 0;
  let dropped = 0;
  socket.on("message", (datagram) => {
    if (waiting + datagram.length > waitingLimit) {
      dropped += 1;
      return;
    }
    waiting += datagram.length;
    last = last
      .then(() => take(datagram))
      .catch((error: unknown) => context.log.warn("a datagram cannot be read", { error }))
      .finally(() => {
        waiting -= datagram.length;
        if (dropped > 0)
          context.log.warn("the stream is too slow, datagrams are dropped", { count: dropped });
        dropped = 0;
      });
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) =>
      reject(new GatewayError(500, "The address cannot be listened on", { cause: error }));
    socket.once("error", fail);
    socket.bind({ port, ...(host !== "" && { address: host }) }, () => {
      socket.off("error", fail);
      resolve();
    });
  });
  socket.on("error", (error) => context.log.warn("datagrams cannot be received", { error }));
  return async () => {
    await new Promise<void>((resolve) => socket.close(() => resolve()));
    await last;
  };
}
