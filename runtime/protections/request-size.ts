// The largest body of a request to an API: `middleware.global.requestSizeLimit`.

import { GatewayError } from "../errors.ts";
import type { Protection } from "../protection.ts";

/** The `requestSizeLimit` block. */
export interface RequestSizeBlock {
  /** Without it the block applies. */
  readonly enabled?: boolean;
  /** Bytes. */
  readonly value?: number;
}

/**
 * Refuses with 413 what says that it is larger; who reads the body stops at the same number of bytes where it is in chunks
 * or packed. Frames of sockets are not bodies.
 */
export function requestSizeLimit({ enabled = true, value }: RequestSizeBlock = {}): Protection {
  return {
    place: "request-size",
    start: () => ({
      check(call) {
        if (!enabled || value === undefined || call.transport.kind !== "http") return "next";
        const announced = Number(call.request.headers["content-length"] ?? 0);
        if (announced > value) return new GatewayError(413, "Request body is too large");
        call.maxBodyBytes = value;
        return "next";
      },
    }),
  };
}
