// One coarse timer for any number of waits with the same time limit. A separate timer for each message would cost
// more than the rest of its processing, and reading the clock for each message nearly as much.

/** The ticks within one time limit: a limit ends at most one tick late, and never early. */
const ticksPerLimit = 8;

/** An object that waits. It belongs to at most one `TimeLimits` at a time. */
export abstract class Limited {
  /** Its neighbours in the list of its limits; `undefined` if it is not waiting. */
  nextLimited: Limited | undefined = undefined;
  previousLimited: Limited | undefined = undefined;
  /** The tick after which it began to wait. */
  beganAt = 0;

  /** Called once if it has waited for longer than the limit. */
  abstract onTimeout(): void;
}

/** Both ends of a list, which is a ring. */
class Ring extends Limited {
  override nextLimited: Limited = this;
  override previousLimited: Limited = this;

  onTimeout(): void {
    throw new Error("the end of a list waits for nothing");
  }
}

/** Waits of at most `duration` milliseconds. The timer runs only while an object waits, and until its next tick. */
export class TimeLimits {
  readonly #tickLength: number;
  readonly #ring = new Ring();
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the timer no longer keeps the process alive. */
  #isReleased = false;

  constructor(duration: number) {
    this.#tickLength = Math.max(1, Math.ceil(duration / ticksPerLimit));
  }

  /**
   * Returns limits that end in the last ninth of `duration` milliseconds: for timeouts that may occur early, but not
   * late.
   */
  static endingBy(duration: number): TimeLimits {
    return new TimeLimits(ticksPerLimit * Math.max(1, Math.floor(duration / (ticksPerLimit + 1))));
  }

  /** Whether the timer is stopped. */
  get isIdle(): boolean {
    return this.#timer === undefined;
  }

  /** Begins the limit of `limited`, which must not be waiting. */
  begin(limited: Limited): void {
    const last = this.#ring.previousLimited;
    limited.beganAt = this.#tick;
    limited.previousLimited = last;
    limited.nextLimited = this.#ring;
    last.nextLimited = limited;
    this.#ring.previousLimited = limited;
    if (this.#timer === undefined) this.#timer = setInterval(() => this.#onTick(), this.#tickLength);
    else if (this.#isReleased) this.#timer.ref();
    this.#isReleased = false;
  }

  /** Ends the limit of `limited`, if it has one. */
  end(limited: Limited): void {
    const { previousLimited: previous, nextLimited: next } = limited;
    if (previous === undefined || next === undefined) return;
    previous.nextLimited = next;
    next.previousLimited = previous;
    limited.previousLimited = undefined;
    limited.nextLimited = undefined;
  }

  /**
   * As `end`; if no other object waits, the timer does not keep the process alive until its next tick. It is not stopped
   * immediately: objects that wait one after another would set it for each of them.
   */
  leave(limited: Limited): void {
    this.end(limited);
    if (this.#isReleased || this.#ring.nextLimited !== this.#ring) return;
    this.#isReleased = true;
    this.#timer?.unref();
  }

  /** Stops the timer if no object waits: for limits that several components share. */
  rest(): void {
    if (this.#ring.nextLimited === this.#ring) this.close();
  }

  /** Stops the timer; no object may be waiting any longer. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #onTick(): void {
    this.#tick += 1;
    // The first tick may follow immediately after the beginning of a wait.
    const latest = this.#tick - ticksPerLimit - 1;
    for (let first = this.#ring.nextLimited; first !== this.#ring; first = this.#ring.nextLimited) {
      if (first.beganAt > latest) return;
      this.end(first);
      first.onTimeout();
    }
    this.close();
  }
}
