// What the input and the output share.

import type { SocketAdmission } from "../../component/endpoint.ts";

/** Room for a client to answer a ping before the next would be due. */
const answerTime = 6_000;

/** A client counts as gone when it has not answered a ping for a while after it was sent. */
export function keepAliveOf(pingPeriod: number): Pick<SocketAdmission, "pingPeriod" | "pongWait"> {
  return { pingPeriod, pongWait: pingPeriod + answerTime };
}
