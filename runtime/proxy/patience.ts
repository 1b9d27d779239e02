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
}

/** Cuts `outgoing` off with a 504 once the upstream takes too long. What the client delays does not count. */
export function watch(
  outgoing: ClientRequest,
  response: ServerResponse,
  { response: answerTime, idle }: Timeouts,
  idleTime: number,
): Patience {
  let timer: NodeJS.Timeout | undefined;
  let isAnswered = false;
  let hasMoved = false;

  function expect(time: number, late: () => void): void {
    clearTimeout(timer);
    timer = time > 0 ? setTimeout(late, time) : undefined;
  }

  /** Looks once in each period, as setting a timer anew for each part of a body would cost more than passing it. */
  function expectMoves(period: number): void {
    hasMoved = false;
    expect(period, () => {
      const isClientSlow = isAnswered ? response.writableNeedDrain : !outgoing.writableNeedDrain;
      if (hasMoved || isClientSlow) expectMoves(period);
      else cut();
    });
  }

  function cut(): void {
    outgoing.destroy(new GatewayError(504, "Upstream did not answer in time"));
  }

  expectMoves(idle ?? idleTime);
  outgoing.once("finish", () => {
    if (!isAnswered) expect(answerTime, cut);
  });
  outgoing.once("close", () => expect(0, cut));
  return {
    progress() {
      hasMoved = true;
    },
    answered(isQuiet) {
      isAnswered = true;
      expectMoves(idle ?? (isQuiet ? 0 : idleTime));
    },
  };
}
