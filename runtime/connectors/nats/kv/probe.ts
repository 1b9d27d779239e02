import type { NatsConnection } from "@nats-io/transport-node";
import { isFixed, type ProbedText, type Probing } from "../../../probe/probe.ts";
import { ProbeFailure } from "../../../probe/probe-failures.ts";
import type { NatsAddress } from "../client.ts";
import { forbidden, isMissing, openJetstream } from "../jetstream/probe.ts";
import { hasReason, openNats } from "../probe.ts";
import { probePublishing } from "../publish-rights.ts";
import { streamOf } from "./bucket.ts";

/** The options of `nats_kv` that the probe reads. */
export interface NatsKvProbeOptions extends NatsAddress {
  readonly bucket: string;
  /** Of an output, whose keys are subjects. */
  readonly key?: ProbedText;
}

/** Tests whether the bucket exists; reads and sets no key. */
export async function probeNatsKv(options: NatsKvProbeOptions, probing: Probing): Promise<void> {
  const connection = await probeBucket(options, streamOf, probing);
  if (connection === undefined) return;
  const { bucket, key = "" } = options;
  if (probing.role === "output") {
    const subject = isFixed(key) ? `$KV.${bucket}.${key}` : key;
    await probePublishing(connection, subject, probing);
  } else probing.skip("right to read keys", "a consumer would have to be created");
}

/** Tests whether the stream of a bucket exists; returns `undefined` if the name of the bucket is computed. */
export async function probeBucket(
  options: NatsAddress & { readonly bucket: string },
  nameOf: (bucket: string) => string,
  probing: Probing,
): Promise<NatsConnection | undefined> {
  const connection = await openNats(options, probing);
  const manager = await openJetstream(connection, probing);
  if (probing.isComputed(options, "bucket")) return undefined;
  const { bucket } = options;
  await probing.require(`bucket ${bucket}`, async () => {
    try {
      await manager.streams.info(nameOf(bucket));
    } catch (error) {
      if (hasReason(error, "permissions violation")) throw forbidden("$JS.API.STREAM.INFO.>", error);
      if (!isMissing(error)) throw error;
      const advice = "Make the bucket, or correct `bucket`";
      throw new ProbeFailure("missing", "there is no such bucket", { advice, cause: error });
    }
  });
  return connection;
}
