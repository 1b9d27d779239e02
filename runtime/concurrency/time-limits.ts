// One coarse timer for any number of waits with the same time limit. A timer of its own for each message would cost more
// than the rest of its way, and reading the clock for each nearly as much.

/** Ticks within one time limit: a limit ends at most one of them late, and never early. */
const ticksPerLimit = 8;

/** Something that waits. It is of one `TimeLimits` at most. */
export abstract class Limited {
  /** Its neighbours in the list of its limits; `undefined` where it waits for nothing. */
  nextLimited: Limited | undefined = undefined;
  previousLimited: Limited | undefined = undefined;
  /** The tick after which it began to wait. */
  beganAt = 0;

  /** Called once where it has waited for longer than the limit. */
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

/** Waits of at most `duration` milliseconds. The timer runs only while something waits. */
export class TimeLimits {
  readonly #tickLength: number;
  readonly #ring = new Ring();
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(duration: number) {
    this.#tickLength = Math.max(1, Math.ceil(duration / ticksPerLimit));
  }

  /** Waits that end in the last ninth of `duration` milliseconds: for what may come early, and not late. */
  static endingBy(duration: number): TimeLimits {
    return new TimeLimits(ticksPerLimit * Math.max(1, Math.floor(duration / (ticksPerLimit + 1))));
  }

  /** Whether its timer does not run. */
  get isIdle(): boolean {
    return this.#timer === undefined;
  }

  /** Begins the limit of `limited`, which has none now. */
  begin(limited: Limited): void {
    const last = this.#ring.previousLimited;
    limited.beganAt = this.#tick;
    limited.previousLimited = last;
    limited.nextLimited = this.#ring;
    last.nextLimited = limited;
    this.#ring.previousLimited = limited;
    this.#timer ??= setInterval(() => this.#onTick(), this.#tickLength);
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

  /** As `end`, and stops the timer at once where nothing else waits. */
  leave(limited: Limited): void {
    this.end(limited);
    if (this.#ring.nextLimited === this.#ring) this.close();
  }

  /** Stops the timer; nothing waits any more. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #onTick(): void {
    this.#tick += 1;
    // The first tick may come right after the beginning of a wait.
    const latest = this.#tick - ticksPerLimit - 1;
    for (let first = this.#ring.nextLimited; first !== this.#ring; first = this.#ring.nextLimited) {
      if (first.beganAt > latest) return;
      this.end(first);
      first.onTimeout();
    }
    this.close();
  }
}
