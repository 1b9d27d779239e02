// Changes of a stream's slot other than that of a running stream: addition, removal, and changes between kinds.

import { GatewayError } from "../../errors.ts";
import type { StreamManager, StreamSlot } from "../../stream/stream-manager.ts";
import { isReady } from "../../stream/stream-state.ts";
import type { PreparedStream } from "../prepared-api.ts";
import type { Change } from "./change.ts";
import { type Bounds, within } from "./within.ts";

/** How a new stream is added. */
interface Addition {
  readonly isStopped: boolean;
  /**
   * Whether the change fails if the stream does not start; otherwise the stream retries, as in a gateway that starts.
   */
  readonly mustStart: boolean;
}

/** Adds a stream. */
export class StreamAddition implements Change {
  readonly isRisky = false;
  readonly #streams: StreamManager;
  readonly #prepared: PreparedStream;
  readonly #addition: Addition;
  readonly #bounds: Bounds;

  constructor(streams: StreamManager, prepared: PreparedStream, addition: Addition, bounds: Bounds) {
    this.#streams = streams;
    this.#prepared = prepared;
    this.#addition = addition;
    this.#bounds = bounds;
  }

  /** Starts the stream. No request is routed to it yet, but it begins to read from a broker. */
  async prepare(): Promise<void> {
    const { spec, parts } = this.#prepared;
    const slot = this.#streams.addSlot(spec);
    if (this.#addition.isStopped) return;
    slot.start(parts);
    if (!this.#addition.mustStart) return;
    try {
      await untilReady(slot, this.#bounds);
    } catch (error) {
      await this.undo();
      throw error;
    }
  }

  async commit(): Promise<void> {}

  async undo(): Promise<void> {
    const { api, stream } = this.#prepared.spec;
    await this.#streams.remove(api, stream);
  }

  finish(): void {}
}

/** Removes a stream. */
export class StreamRemoval implements Change {
  readonly isRisky = false;
  readonly #streams: StreamManager;
  readonly #slot: StreamSlot;

  constructor(streams: StreamManager, slot: StreamSlot) {
    this.#streams = streams;
    this.#slot = slot;
  }

  async prepare(): Promise<void> {}
  async commit(): Promise<void> {}
  async undo(): Promise<void> {}

  /** Removes the stream; no request is routed to it any longer. */
  finish(): void {
    const { api, stream } = this.#slot.spec;
    void this.#streams.remove(api, stream);
  }
}

/** Changes a stream that an operator stopped: the next start uses the new version. */
export class StoppedStreamChange implements Change {
  readonly isRisky = false;
  readonly #slot: StreamSlot;
  readonly #next: PreparedStream["spec"];
  readonly #before: PreparedStream["spec"];

  constructor(slot: StreamSlot, next: PreparedStream["spec"]) {
    this.#slot = slot;
    this.#next = next;
    this.#before = slot.spec;
  }

  async prepare(): Promise<void> {}

  async commit(): Promise<void> {
    this.#slot.respecify(this.#next);
  }

  async undo(): Promise<void> {
    this.#slot.respecify(this.#before);
  }

  finish(): void {}
}

/** Changes a stream that runs as instances in both versions: new requests get instances of the new version. */
export class InstancesChange implements Change {
  readonly isRisky = false;
  readonly #slot: StreamSlot;
  readonly #next: PreparedStream["spec"];
  readonly #bounds: Bounds;

  constructor(slot: StreamSlot, next: PreparedStream["spec"], bounds: Bounds) {
    this.#slot = slot;
    this.#next = next;
    this.#bounds = bounds;
  }

  async prepare(): Promise<void> {}
  async commit(): Promise<void> {}
  async undo(): Promise<void> {}

  /** Replaces the instances. A new instance starts only when a request needs it, so nothing can fail here. */
  finish(): void {
    const former = this.#slot.instances;
    if (former === undefined || !("definition" in this.#next)) return;
    const instances = this.#slot.createInstances(this.#next, former);
    this.#slot.respecify(this.#next, instances);
    void former.replaceBy(instances, this.#bounds.stopTimeout);
  }
}

/** Changes a shared stream to one that runs as instances, or the reverse: stops it and starts the other kind. */
export class KindChange implements Change {
  readonly isRisky = true;
  readonly #slot: StreamSlot;
  readonly #next: PreparedStream;
  readonly #before: PreparedStream["spec"];
  readonly #bounds: Bounds;
  #isCommitted = false;

  constructor(slot: StreamSlot, next: PreparedStream, bounds: Bounds) {
    this.#slot = slot;
    this.#next = next;
    this.#before = slot.spec;
    this.#bounds = bounds;
  }

  async prepare(): Promise<void> {}

  async commit(): Promise<void> {
    this.#isCommitted = true;
    await this.#slot.stop();
    this.#slot.respecify(this.#next.spec);
    this.#slot.start("create" in this.#next.spec ? this.#next.parts : undefined);
    try {
      await untilReady(this.#slot, this.#bounds);
    } catch (error) {
      await this.undo();
      throw error;
    }
  }

  async undo(): Promise<void> {
    if (!this.#isCommitted) return;
    await this.#slot.stop();
    this.#slot.respecify(this.#before);
    this.#slot.start();
  }

  finish(): void {}
}

/** Resolves when the stream works, or waits for demand. */
async function untilReady({ stream }: StreamSlot, bounds: Bounds): Promise<void> {
  if (stream === undefined) return;
  await within(bounds.startTimeout, "It did not start", bounds, () => stream.settled);
  const { status, reason } = stream.state();
  if (!isReady(status)) throw new GatewayError(503, reason ?? `It is ${status}`);
}
