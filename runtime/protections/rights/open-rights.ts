// The rights of all open connections of a gateway: evaluated again when something they depend on changes, or when due.

import type { ServerResponse } from "node:http";
import type { Scoped } from "../../component/gateway-scope.ts";
import { GatewayError } from "../../errors.ts";
import { answerError } from "../../http/answer.ts";
import type { Call, CallQuotas } from "../../http/call.ts";
import type { Caller } from "../../keys/session.ts";
import type { ProtectionContext } from "../../protection.ts";
import { closeSocket } from "../../sockets/frames.ts";
import { disallowed } from "../authentication/decide.ts";
import { type DueTime, isPast, OpenRight, type RightJudge, sooner } from "./open-right.ts";

/** Close codes of RFC 6455, section 7.4.1, and of IANA's registry: policy violation; try again later. */
const closeCodes = { refused: 1008, unknown: 1013 };

/**
 * Ends the connection of a call and tells the client why, as far as the protocol allows: a WebSocket is closed with
 * 1008, an event stream gets a last event `closed`, a pending request gets a response. Sockets and event streams of
 * the upstream end in the same way between two frames or events; within one, and in any other response, the
 * connection is destroyed. A message that was received completely is still delivered. Returns whether there was
 * something to end.
 */
function endCall({ transport, route, request }: Call, right: OpenRight, why: GatewayError): boolean {
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

/** Stops the proxy; returns whether the last event was complete, so that another event may follow. */
function stopBetween({ passed }: OpenRight): boolean {
  passed?.stop();
  return passed?.boundaries.isBetween === true;
}

/**
 * Whether a call waits for further messages, like streams and requests for a message. Calls that were granted and end
 * on their own are not meant: the delivery of a request, or a response of a known length.
 */
function waitsForMore({ transport, route, right }: Call): boolean {
  if (transport.kind === "websocket" || route?.role === "output") return true;
  return route === undefined && right?.hasEndlessAnswer === true;
}

/** Destroys the connection of an ended call if it is still open. */
function cutCall({ transport }: Call): void {
  if (transport.kind === "http") {
    // The connection of a complete response may serve another request.
    if (!transport.response.closed) transport.response.destroy();
  } else transport.socket.destroy();
}

function isEventStream(response: ServerResponse): boolean {
  return response.getHeader("content-type") === "text/event-stream";
}

/** Returns an event of a special type, so that pages do not take it for a message. */
function lastEvent({ answer }: GatewayError): string {
  return `event: closed\ndata: ${JSON.stringify({ error: answer })}\n\n`;
}

/** Returns the error for a client whose right could not be evaluated for too long. */
function undecidable(): GatewayError {
  return new GatewayError(503, "Credentials cannot be checked now", { retryAfter: 1 });
}

/** Milliseconds between checks for due rights. */
const every = 500;
/** Milliseconds that a client has to read why its connection ends. */
const farewell = 1_000;
/**
 * Milliseconds that connections stay open if their rights cannot be evaluated, and milliseconds between two attempts.
 */
const patience = 60_000;
const retryEvery = 1_000;
/** Milliseconds between checks of quotas, which requests to any process may use up. */
const quotasEvery = 1_000;
/** The most rights that are evaluated concurrently: each may need a request to the store. */
const mostAtOnce = 64;

const never: DueTime = { date: Number.POSITIVE_INFINITY, clock: Number.POSITIVE_INFINITY };
const atOnce: DueTime = { ...never, clock: Number.NEGATIVE_INFINITY };

/** What the rights need to know of the gateway. */
export type RightsContext = Pick<ProtectionContext, "log" | "signal" | "store" | "oauth" | "visitCalls">;

/**
 * Evaluates the rights. Nothing is registered for a connection: open calls are visited when there is something to
 * evaluate. One timer checks for due rights; it starts with the first call that has a right.
 */
export class OpenRights implements RightJudge {
  #context: RightsContext | undefined;
  #changes = 0;
  #revocations: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the first right is due. */
  #soonest = never;
  #round: Promise<void> | undefined;
  /** Until when ended clients may read the reason, by `performance.now()`. */
  readonly #leaving = new Map<Call, number>();
  /** When quotas are checked next, by `performance.now()`; infinite while no open connection has a quota. */
  #quotasDue = Number.POSITIVE_INFINITY;

  get changes(): number {
    return this.#changes;
  }

  /** Starts to listen for changes; all APIs of a gateway share the first connection. */
  connect(context: RightsContext): void {
    if (this.#context !== undefined) return;
    this.#context = context;
    const changed = () => this.noteChange();
    const stops = [
      context.store?.onChange(["keys", "policies", "oauth_clients"], changed),
      context.oauth?.onRevoked?.(changed),
    ];
    const close = () => {
      clearInterval(this.#timer);
      for (const stop of stops) stop?.();
    };
    context.signal.addEventListener("abort", close, { once: true });
  }

  /**
   * Creates the right of the caller of `call`; `changes`: the number of changes known when the caller was looked up.
   */
  create({ servedUntil }: Call, caller: Caller, changes: number): OpenRight {
    const right = new OpenRight(this, caller, changes, servedUntil);
    this.#soonest = right.isInDoubt ? atOnce : sooner(this.#soonest, right.due);
    if (this.#timer === undefined && this.#context?.signal.aborted === false) {
      this.#timer = setInterval(() => this.#look(), every);
      this.#timer.unref();
    }
    if (right.isInDoubt) setImmediate(() => void this.judgeDue());
    return right;
  }

  judgeDue(): Promise<void> {
    this.#round ??= this.#judgeRound()
      .catch((error: unknown) => {
        this.#context?.log.error("rights of open connections could not be checked", { error });
        this.#soonest = atOnce;
      })
      .finally(() => {
        this.#round = undefined;
      });
    return this.#round;
  }

  /** Puts every right in doubt, and starts its evaluation. */
  noteChange(): void {
    this.#changes += 1;
    this.#soonest = atOnce;
    // Runs after all listeners, which empty the caches of records.
    queueMicrotask(() => void this.judgeDue());
  }

  watchQuotas(): void {
    if (this.#quotasDue === Number.POSITIVE_INFINITY) this.#quotasDue = performance.now() + quotasEvery;
  }

  #look(): void {
    const now = performance.now();
    for (const [call, until] of this.#leaving) {
      if (until > now) continue;
      this.#leaving.delete(call);
      cutCall(call);
    }
    void this.#askForRevocations();
    if (this.#quotasDue <= now) void this.#judgeQuotas();
    if (isPast(this.#soonest)) void this.judgeDue();
  }

  /** Checks for revoked tokens: other processes may revoke tokens that are stored outside of this process. */
  async #askForRevocations(): Promise<void> {
    try {
      const known = await this.#context?.oauth?.countRevocations?.();
      if (known === this.#revocations) return;
      this.#revocations = known;
      this.noteChange();
    } catch {
      // New requests are refused meanwhile; open connections are evaluated when the store responds again.
    }
  }

  async #judgeRound(): Promise<void> {
    // Runs after the caller has continued, and after every listener of a change.
    await undefined;
    const ended = new Map<string, number>();
    let changes: number;
    do {
      changes = this.#changes;
      const due = this.#findDue();
      const judgeNext = async () => {
        for (let next = due.pop(); next !== undefined; next = due.pop()) {
          const why = await this.#judgeCall(next.call, next.right);
          if (why !== undefined) ended.set(why, (ended.get(why) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: Math.min(mostAtOnce, due.length) }, judgeNext));
    } while (changes !== this.#changes);
    this.#report(ended);
  }

  #report(ended: ReadonlyMap<string, number>): void {
    for (const [reason, connections] of ended)
      this.#context?.log.info("connections closed because their access rights have ended", {
        reason,
        connections,
      });
  }

  /** Ends calls that wait for further messages while the quota of their caller is used up. */
  async #judgeQuotas(): Promise<void> {
    this.#quotasDue = Number.POSITIVE_INFINITY;
    const counted = this.#findCounted();
    const ended = new Map<string, number>();
    for (const [quotas, calls] of counted) {
      const refusals = await this.#findUsedUp(quotas, calls);
      for (const [position, refusal] of refusals.entries()) {
        const call = calls[position];
        if (refusal === undefined || !(call?.right instanceof OpenRight)) continue;
        const why = call.right.ended === undefined ? this.#end(call, call.right, refusal) : undefined;
        if (why !== undefined) ended.set(why, (ended.get(why) ?? 0) + 1);
      }
    }
    this.#report(ended);
    if (counted.size > 0) this.watchQuotas();
  }

  /** Returns the open calls that a quota may end, by the owner of their quotas. */
  #findCounted(): ReadonlyMap<CallQuotas, readonly Call[]> {
    const counted = new Map<CallQuotas, Call[]>();
    this.#context?.visitCalls?.((call) => {
      const { right } = call;
      if (!(right instanceof OpenRight) || right.ended !== undefined) return;
      if (right.quotas?.isCounted(call) !== true) return;
      const calls = counted.get(right.quotas) ?? [];
      if (waitsForMore(call)) calls.push(call);
      // Set even without calls: a call that waits for its upstream may become a stream, so its quotas stay watched.
      counted.set(right.quotas, calls);
    });
    return counted;
  }

  /** Finds calls with a used-up quota. If counting fails, none is: in that case new requests are refused. */
  async #findUsedUp(quotas: CallQuotas, calls: readonly Call[]): ReturnType<CallQuotas["findUsedUp"]> {
    try {
      return await quotas.findUsedUp(calls);
    } catch (error) {
      if (!(error instanceof GatewayError))
        this.#context?.log.error("quotas of open connections could not be read", { error });
      return [];
    }
  }

  #findDue(): { readonly call: Call; readonly right: OpenRight }[] {
    const due: { readonly call: Call; readonly right: OpenRight }[] = [];
    let soonest = never;
    this.#context?.visitCalls?.((call) => {
      const { right } = call;
      if (!(right instanceof OpenRight) || right.ended !== undefined) return;
      const isFresh = right.isInDoubt && right.undecided === undefined;
      if (isFresh || isPast(right.due)) due.push({ call, right });
      else soonest = sooner(soonest, right.due);
    });
    this.#soonest = soonest;
    return due;
  }

  /** Evaluates one right, and ends its connection if the right no longer holds; resolves with the reason if so. */
  async #judgeCall(call: Call, right: OpenRight): Promise<string | undefined> {
    const changes = this.#changes;
    const verdict = await renewed(right.caller);
    const why =
      verdict instanceof GatewayError
        ? verdict
        : (expiryOf(call) ?? (verdict.session && right.rule?.(verdict.session, call)));
    if (why === undefined && !(verdict instanceof GatewayError)) {
      right.renew(verdict, changes);
      // The granted rights may have changed as well.
      this.watchQuotas();
      this.#soonest = sooner(this.#soonest, right.due);
      return undefined;
    }
    if (why?.status === 503 && this.#waits(right)) return undefined;
    return this.#end(call, right, why?.status === 503 ? undecidable() : (why ?? disallowed()));
  }

  /** Ends a connection; returns the reason if there was something to end. */
  #end(call: Call, right: OpenRight, why: GatewayError): string | undefined {
    if (!endCall(call, right, why)) return undefined;
    this.#leaving.set(call, performance.now() + farewell);
    return why.reason ?? "undecided";
  }

  /** Whether to try again to evaluate a right that could not be evaluated. */
  #waits(right: OpenRight): boolean {
    const now = performance.now();
    const { since } = right.undecided ?? { since: now };
    if (now - since >= patience) return false;
    right.undecided = { since, retry: now + retryEvery };
    this.#soonest = sooner(this.#soonest, right.due);
    return true;
  }
}

/** Resolves with the caller that the scheme now finds for the credential, or with an error. */
async function renewed(caller: Caller): Promise<Caller | GatewayError> {
  try {
    return (await caller.renew?.()) ?? disallowed();
  } catch (error) {
    return error instanceof GatewayError ? error : undecidable();
  }
}

function expiryOf({ servedUntil }: Call): GatewayError | undefined {
  return servedUntil === undefined || Date.now() < servedUntil
    ? undefined
    : new GatewayError(403, "API has expired", { reason: "api_expired" });
}

/** All APIs of a gateway share one set of rights. */
export const scopedRights: Scoped<OpenRights> = { create: () => new OpenRights() };
