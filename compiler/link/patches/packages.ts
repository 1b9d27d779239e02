// Every change made to a package while it is linked. Each has its reason in its own file.

import type { Plugin } from "esbuild";
import { bcryptjsPatch } from "./bcryptjs.ts";
import { kafkajsPatch } from "./kafkajs.ts";
import { mqttPatch } from "./mqtt.ts";
import { pinoPatch } from "./pino.ts";

/** The patches as esbuild plugins. */
export function packagePatches(): readonly Plugin[] {
  return [bcryptjsPatch(), kafkajsPatch(), mqttPatch(), pinoPatch()];
}
