// Loads kafkajs without its idle loop, as gateways have it: the loop takes CPU time and prints a warning. A program
// imports this module before all others.

import { registerHooks } from "node:module";
import { requestQueue } from "../../compiler/link/patches/kafkajs.ts";
import { patchedFile, patchText } from "../../compiler/link/patches/source-patch.ts";

const file = patchedFile("kafkajs", requestQueue.file);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!file.test(url)) return loaded;
    const source = patchText(String(loaded.source), requestQueue.edits);
    if (source === undefined) throw new Error(`kafkajs changed where ${requestQueue.about} is patched`);
    return { ...loaded, source };
  },
});
