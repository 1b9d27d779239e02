// Limits how long an exchange with the upstream may make no progress.

import type { ClientRequest, ServerResponse } from "node:http";
import { GatewayError } from "../errors.ts";
import type { Timeouts } from "./target.ts";

/** Watches one exchange; its timer ends with the request. */
export interface Patience {
  /** Records that a part of a body was passed on, in either direction. */
  progress(): void;
  /** Records the head of the response; `isQuiet`: the response may be silent for as long as it likes. */
  answered(isQuiet: boolean): void;
  /** Records that nothing more will arrive. */
  end(): void;
}

/**
 * Destroys `outgoing` with a 504 if the upstream takes too long. Time during which the client is slow does not count.
 * `isSentAtOnce`: the request has no body.
 */
export function watch(
  outgoing: ClientRequest,
  response: ServerResponse,
  { response: answerTime, idle }: Timeouts,
  idleTime: number,
  isSentAtOnce = false,
): Patience {
  const sendTime = idle ?? idleTime;
  let timer: NodeJS.Timeout | undefined;
  let length = 0;
  let whenLate = cutUnanswered;
  let isAnswered = false;
  let hasMoved = false;

  function expect(time: number, late: () => void): void {
    whenLate = late;
    // Refreshing a timer costs far less than creating one.
    if (timer !== undefined && time === length) timer.refresh();
    else {
      clearTimeout(timer);
      timer = time > 0 ? setTimeout(expire, time) : undefined;
      length = time;
    }
  }

  function expire(): void {
    timer = undefined;
    whenLate();
  }

  /** Checks once in each period: restarting a timer for each part of a body would cost more than passing it on. */
  function expectMoves(period: number): void {
    hasMoved = false;
    expect(period, () => {
      const isClientSlow = isAnswered ? response.writableNeedDrain : !outgoing.writableNeedDrain;
      if (hasMoved || isClientSlow) expectMoves(period);
      else cut(`Upstream sent nothing for ${period / 1000} s`);
    });
  }

  function cutUnanswered(): void {
    cut(`Upstream did not answer within ${answerTime / 1000} s`);
  }

  function cut(message: string): void {
    outgoing.destroy(new GatewayError(504, message));
  }

  function end(): void {
    isAnswered = true;
    clearTimeout(timer);
    timer = undefined;
  }

  // The wait for the response most likely begins in a moment, and can then refresh a timer of the same length.
  if (isSentAtOnce && answerTime > 0 && answerTime < sendTime) {
    expect(answerTime, () => expectMoves(sendTime - answerTime));
  } else expectMoves(sendTime);
  outgoing.on("finish", () => {
    if (!isAnswered) expect(answerTime, cutUnanswered);
  });
  outgoing.on("close", end);
  return {
    progress() {
      hasMoved = true;
    },
    answered(isQuiet) {
      isAnswered = true;
      expectMoves(idle ?? (isQuiet ? 0 : idleTime));
    },
    end,
  };
}
