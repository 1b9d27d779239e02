import type { Probing } from "../../../probe/probe.ts";
import type { NatsAddress } from "../client.ts";
import { probeBucket } from "../kv/probe.ts";
import { streamOf } from "./store.ts";

/** The options of `nats_object_store` that the probe reads. */
export interface NatsObjectsProbeOptions extends NatsAddress {
  readonly bucket: string;
}

/** Tests whether the bucket exists; reads and stores no object. */
export async function probeNatsObjects(options: NatsObjectsProbeOptions, probing: Probing): Promise<void> {
  const connection = await probeBucket(options, streamOf, probing);
  if (connection !== undefined) probing.skip("right to use objects", "an object would have to be stored");
}
