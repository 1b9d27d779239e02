// How long an exchange with the upstream may stand still.

import type { ClientRequest, ServerResponse } from "node:http";
import { GatewayError } from "../errors.ts";
import type { Timeouts } from "./target.ts";

/** What watches one exchange; its timer ends with the request. */
export interface Patience {
  /** A part of the body went by, in either direction. */
  progress(): void;
  /** The head of the answer is there; `isQuiet` for one that may be silent for as long as it likes. */
  answered(isQuiet: boolean): void;
  /** Nothing more is to come. */
  end(): void;
}

/**
 * Cuts `outgoing` off with a 504 once the upstream takes too long. What the client delays does not count. `isSentAtOnce`: the
 * request has no body.
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
    // A timer that starts again costs far less than another one.
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

  /** Looks once in each period, as setting a timer anew for each part of a body would cost more than passing it. */
  function expectMoves(period: number): void {
    hasMoved = false;
    expect(period, () => {
      const isClientSlow = isAnswered ? response.writableNeedDrain : !outgoing.writableNeedDrain;
      if (hasMoved || isClientSlow) expectMoves(period);
      else cut(`Upstream stood still for ${period / 1000} s`);
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

  // The time for the answer most likely begins in a moment, with a timer of the same length.
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
