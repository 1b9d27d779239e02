// Bounds what a source that does not wait for us pushes into the pipeline.

/** How a window hands things over. */
export interface WindowOptions<T> {
  /** Deliveries under way at once. */
  readonly limit: number;
  /** How many more are held; beyond that, what may be dropped is. */
  readonly held: number;
  /** What they and those under way may weigh together, unless it is a single one. */
  readonly bytes: number;
  /** What they may weigh before a source that can wait does so; by default as much as they may weigh at all. */
  readonly ahead?: number;
  /** What one weighs. */
  sizeOf(item: T): number;
  /** Sees one thing through; must not reject. */
  deliver(item: T): Promise<void>;
  /** Called at the first drop, and with the number of drops once there is room again. */
  onDropped(count: number | undefined): void;
}

/** Things handed over in the order they came, a limited number at a time. */
export class DeliveryWindow<T> {
  readonly #options: WindowOptions<T>;
  #held: T[] = [];
  #inFlight = 0;
  #bytes = 0;
  #dropped = 0;
  #idle: (() => void)[] = [];
  /** Those who wait for room. */
  #waiting: (() => void)[] = [];

  constructor(options: WindowOptions<T>) {
    this.#options = options;
  }

  /** Takes the next thing. Where the source keeps its own count of what it pushes, nothing `mayDrop`. */
  take(item: T, mayDrop: boolean): void {
    if (mayDrop && this.#isFull(item)) {
      this.#dropped += 1;
      if (this.#dropped === 1) this.#options.onDropped(undefined);
      return;
    }
    this.#bytes += this.#options.sizeOf(item);
    if (this.#inFlight < this.#options.limit) {
      this.#inFlight += 1;
      void this.#deliver(item);
    } else {
      this.#held.push(item);
    }
  }

  /** Whether a source that can wait need not. */
  get hasRoom(): boolean {
    const { bytes, ahead = bytes } = this.#options;
    return this.#bytes < ahead && !this.#isCrowded;
  }

  /** Resolves when a source that can wait need not, which may be at once. */
  async room(): Promise<void> {
    if (!this.hasRoom) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when nothing is under way and nothing is held. */
  async idle(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async #deliver(first: T): Promise<void> {
    for (let item: T | undefined = first; item !== undefined; item = this.#held.shift()) {
      await this.#options.deliver(item);
      this.#bytes -= this.#options.sizeOf(item);
      this.#tellRoom();
    }
    this.#tellDropped();
    this.#inFlight -= 1;
    this.#tellRoom();
    if (this.#inFlight === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  get #isCrowded(): boolean {
    const { limit, held } = this.#options;
    return this.#inFlight === limit && this.#held.length >= held;
  }

  #isFull(item: T): boolean {
    const { bytes, sizeOf } = this.#options;
    return this.#isCrowded || (this.#bytes > 0 && this.#bytes + sizeOf(item) > bytes);
  }

  #tellRoom(): void {
    if (this.#waiting.length > 0 && this.hasRoom) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Not before there is room for more than the next one: what is always full would tell it always. */
  #tellDropped(): void {
    if (this.#dropped === 0 || this.#bytes * 2 > this.#options.bytes) return;
    this.#options.onDropped(this.#dropped);
    this.#dropped = 0;
  }
}
