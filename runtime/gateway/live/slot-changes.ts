// Changes of what runs under one name, where it is not one stream that goes on.

import { GatewayError } from "../../errors.ts";
import type { StreamManager, StreamSlot } from "../../stream/stream-manager.ts";
import { isReady } from "../../stream/stream-state.ts";
import type { PreparedStream } from "../prepared-api.ts";
import type { Change } from "./change.ts";
import { type Bounds, within } from "./within.ts";

/** What an added stream is held to. */
interface Addition {
  readonly isStopped: boolean;
  /** Whether the change fails where it does not start; else it is tried again and again, as in a gateway that starts. */
  readonly mustStart: boolean;
}

/** A stream that was not there. */
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

  /** No request is led to it yet; where it reads from a broker, it begins. */
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

/** A stream that is not there any more. */
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

  /** No request is led to it any more. */
  finish(): void {
    const { api, stream } = this.#slot.spec;
    void this.#streams.remove(api, stream);
  }
}

/** A stream that an operator stopped: another version of it is what will be started. */
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

/** A stream whose requests get instances, in both versions: those who come get new ones. */
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

  /** None of the new ones runs before a request asks for it, so that nothing can fail here. */
  finish(): void {
    const former = this.#slot.instances;
    if (former === undefined || !("definition" in this.#next)) return;
    const instances = this.#slot.createInstances(this.#next, former);
    this.#slot.respecify(this.#next, instances);
    void former.replaceBy(instances, this.#bounds.stopTimeout);
  }
}

/** A stream that requests shared and now have instances of, or the other way round: stopped, and started as the other. */
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

/** Resolves when it does its work, or waits for demand. */
async function untilReady({ stream }: StreamSlot, bounds: Bounds): Promise<void> {
  if (stream === undefined) return;
  await within(bounds.startTimeout, "It did not start", bounds, () => stream.settled);
  const { status, reason } = stream.state();
  if (!isReady(status)) throw new GatewayError(503, reason ?? `It is ${status}`);
}
