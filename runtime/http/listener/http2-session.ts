// One connection of HTTP/2: how long it may do nothing, and how much it may say without asking for anything.

import { constants, type ServerHttp2Session } from "node:http2";

/** Pings and settings that a client may send in a period; each has to be answered. */
const most = 100;
/** Milliseconds of that period. */
const period = 10_000;

/**
 * Ends a session that has had no request open for `idleTime` milliseconds, whatever else it says, and one that floods
 * the gateway with frames that ask for nothing.
 */
export function guardSession(session: ServerHttp2Session, idleTime: number): void {
  let open = 0;
  let timer: NodeJS.Timeout | undefined;
  let frames = 0;
  let since = performance.now();

  function waitForRequest(): void {
    timer = setTimeout(() => session.close(), idleTime);
  }

  function count(): void {
    if (performance.now() - since > period) {
      since = performance.now();
      frames = 0;
    }
    frames += 1;
    if (frames > most) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  waitForRequest();
  session.on("stream", (stream) => {
    clearTimeout(timer);
    open += 1;
    stream.once("close", () => {
      open -= 1;
      if (open === 0 && !session.closed) waitForRequest();
    });
  });
  session.on("ping", count);
  session.on("remoteSettings", count);
  // What a client breaks ends its connection, which is all that happens.
  session.on("error", () => session.destroy());
  session.once("close", () => clearTimeout(timer));
}
