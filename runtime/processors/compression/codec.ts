// Code shared by all compression algorithms.

import type { Processor } from "../../component/component.ts";
import { toGatewayError } from "../../errors.ts";
import { guarded } from "../../mapping/size-limits.ts";
import { type CompressOptions, compressDefaults } from "../generated/compress-options.ts";
import { type DecompressOptions, decompressDefaults } from "../generated/decompress-options.ts";

/** Compresses the content of each message. */
export function compressing(
  { algorithm, level = compressDefaults.level }: CompressOptions,
  pack: (bytes: Uint8Array, level: number) => Uint8Array,
): Processor {
  return changing((bytes) => guarded(algorithm, () => pack(bytes, level)), "compress");
}

/** Decompresses the content of each message, up to `max_bytes`. */
export function decompressing(
  { max_bytes: limit = decompressDefaults.max_bytes }: DecompressOptions,
  unpack: (bytes: Uint8Array, limit: number) => Uint8Array,
): Processor {
  return changing((bytes) => unpack(bytes, limit), "decompress");
}

function changing(change: (bytes: Uint8Array) => Uint8Array, name: string): Processor {
  return {
    process: (batch) => [
      batch.map((message) => {
        try {
          return message.withBytes(change(message.bytes()));
        } catch (error) {
          return message.withFailure(toGatewayError(error, 500, `failed to ${name} the message`));
        }
      }),
    ],
  };
}
