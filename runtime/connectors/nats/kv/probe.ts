import { ErrorCode } from "nats";
import type { Probing } from "../../../probe.ts";
import { ProbeFailure } from "../../../probe-failures.ts";
import type { NatsAddress } from "../client.ts";
import { forbidden, isMissing, openJetstream } from "../jetstream/probe.ts";
import { hasCode, openNats, skipPublishing } from "../probe.ts";
import { streamOf } from "./bucket.ts";

/** What the probe reads of the options of `nats_kv`. */
export interface NatsKvProbeOptions extends NatsAddress {
  readonly bucket: string;
}

/** Asks whether there is such a bucket; no key is read or set. */
export async function probeNatsKv(options: NatsKvProbeOptions, probing: Probing): Promise<void> {
  const manager = await openJetstream(await openNats(options, probing), probing);
  if (probing.isComputed(options, "bucket")) return;
  const { bucket } = options;
  await probing.require(`bucket ${bucket}`, async () => {
    try {
      await manager.streams.info(streamOf(bucket));
    } catch (error) {
      if (hasCode(error, ErrorCode.PermissionsViolation)) throw forbidden("$JS.API.STREAM.INFO.>", error);
      if (!isMissing(error)) throw error;
      const advice = "Make the bucket, or correct `bucket`";
      throw new ProbeFailure("missing", "there is no such bucket", { advice, cause: error });
    }
  });
  if (probing.role === "output") skipPublishing(probing);
  else probing.skip("right to read keys", "a consumer would have to be made");
}
