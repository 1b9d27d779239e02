// How a connection is ended whose right has ended.

import type { ServerResponse } from "node:http";
import { GatewayError } from "../../errors.ts";
import { answerError } from "../../http/answer.ts";
import type { Call } from "../../http/call.ts";
import { closeSocket } from "../../sockets/frames.ts";
import type { OpenRight } from "./open-right.ts";

/** Codes of RFC 6455, section 7.4.1, and of IANA's registry: a violated policy; try again later. */
const closeCodes = { refused: 1008, unknown: 1013 };

/**
 * Ends the connection of a call and says why, as far as the protocol lets it: a WebSocket is closed with 1008, an event
 * stream gets a last event `closed`, a request without an answer is answered. What comes from the upstream is ended in the
 * same way between two frames or events; within one, and any other answer, it can only be cut. A message that was sent
 * whole before is still delivered. Gives whether there was something to end.
 */
export function endCall({ transport, route, request }: Call, right: OpenRight, why: GatewayError): boolean {
  right.ended = why;
  if (transport.kind === "websocket") {
    const code = why.status === 503 ? closeCodes.unknown : closeCodes.refused;
    if (right.socket !== undefined) closeSocket(right.socket, code, why.answer);
    else if (right.tunnel !== undefined) right.tunnel.end(code, why.answer);
    else transport.socket.destroy();
    return true;
  }
  if (route?.role === "input" && request.complete) return false;
  const { response } = transport;
  if (!response.headersSent) answerError(response, why);
  else if (route?.role === "output") response.end(isEventStream(response) ? lastEvent(why) : undefined);
  else if (stopBetween(right)) response.end(lastEvent(why));
  else response.destroy();
  return true;
}

/** Has the proxy pass nothing more; gives whether the last event it passed was whole, so that one of our own can follow. */
function stopBetween({ passed }: OpenRight): boolean {
  passed?.stop();
  return passed?.boundaries.isBetween === true;
}

/**
 * Whether a call waits for messages to come, as streams and requests for a message do. What was granted and ends by itself
 * is not one: the delivery of a request, an answer of a known length.
 */
export function waitsForMore({ transport, route, right }: Call): boolean {
  if (transport.kind === "websocket" || route?.role === "output") return true;
  return route === undefined && right?.hasEndlessAnswer === true;
}

/** Cuts what is still open of a connection that was ended. */
export function cutCall({ transport }: Call): void {
  if (transport.kind === "http") {
    // A connection whose answer is over may serve another request.
    if (!transport.response.closed) transport.response.destroy();
  } else transport.socket.destroy();
}

function isEventStream(response: ServerResponse): boolean {
  return response.getHeader("content-type") === "text/event-stream";
}

/** An event of its own kind, so that no page takes it for a message. */
function lastEvent({ answer }: GatewayError): string {
  return `event: closed\ndata: ${JSON.stringify({ error: answer })}\n\n`;
}

/** What a client gets whose right could not be judged for too long. */
export function undecidable(): GatewayError {
  return new GatewayError(503, "Credentials cannot be checked now", { retryAfter: 1 });
}
