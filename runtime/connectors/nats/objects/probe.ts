import type { Probing } from "../../../probe/probe.ts";
import type { NatsAddress } from "../client.ts";
import { probeBucket } from "../kv/probe.ts";
import { streamOf } from "./store.ts";

/** What the probe reads of the options of `nats_object_store`. */
export interface NatsObjectsProbeOptions extends NatsAddress {
  readonly bucket: string;
}

/** Asks whether there is such a bucket; no object is read or stored. */
export async function probeNatsObjects(options: NatsObjectsProbeOptions, probing: Probing): Promise<void> {
  const connection = await probeBucket(options, streamOf, probing);
  if (connection !== undefined) probing.skip("right to use objects", "an object would have to be stored");
}
