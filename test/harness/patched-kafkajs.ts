// Loads kafkajs without its idle loop, as gateways have it: the loop takes CPU time and prints a warning. A program
// imports this module before all others.

import { requestQueue } from "../../compiler/link/patches/kafkajs.ts";
import { patchOnLoad } from "./patch-on-load.ts";

for (const patch of requestQueue) patchOnLoad("kafkajs", patch);
