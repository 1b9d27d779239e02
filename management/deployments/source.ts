// The deployments of this process, as a source for a gateway in the same process.

import type { ArtifactSource } from "../../runtime/gateway/artifact/source.ts";
import type { ManagementStore } from "../store/tables.ts";
import type { Tails } from "../streams/tails.ts";
import type { DefinitionDeployer } from "./deployer.ts";
import { takeReport } from "./gateways.ts";
import { getBlob } from "./stored.ts";

/** The name of the gateway in this process in lists of gateways. */
const ownGateway = "all-in-one";

/** Returns a source that reads deployments directly from the store. */
export function storeSource(
  store: ManagementStore,
  deployer: DefinitionDeployer,
  tails: Tails,
): ArtifactSource {
  return {
    name: "this process",
    async next(known, wait, signal) {
      const newest = await deployer.next(known, wait, signal);
      if (newest === undefined || newest.digest === known) return undefined;
      const { manifest, digest, signature } = newest;
      return { bytes: Buffer.from(manifest), digest, ...(signature !== null && { signature }) };
    },
    blob: async (digest) => Buffer.from(await getBlob(store, digest)),
    async report(report) {
      await takeReport(store, ownGateway, report);
      return tails.wanted();
    },
    async showMessages(seen) {
      tails.take(ownGateway, seen);
      return tails.wanted();
    },
  };
}
