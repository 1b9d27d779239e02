// A gateway that follows deployments as its own process, for the tests of what all gateway processes do.

import { writeBlob, writeManifest } from "../../../runtime/gateway/artifact/artifact-folder.ts";
import { runFollowing } from "../../../runtime/gateway/artifact/main.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { apiModule, pack, runtime } from "../artifact/deployments.ts";

const folder = temporaryDirectory("deployed");
const deployment = pack({ apis: { orders: apiModule("orders", 1) } });
for (const [digest, bytes] of deployment.blobs) await writeBlob(folder, digest, bytes);
await writeManifest(folder, deployment, new Set(deployment.blobs.keys()));
await runFollowing(folder, runtime);
