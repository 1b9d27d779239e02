// The largest body of a request to an API: `middleware.global.requestSizeLimit`.

import { GatewayError } from "../errors.ts";
import type { Protection } from "../protection.ts";

/** The `requestSizeLimit` block. */
export interface RequestSizeBlock {
  /** Whether the block applies; true by default. */
  readonly enabled?: boolean;
  /** Bytes. */
  readonly value?: number;
}

/**
 * Refuses requests with 413 if their `Content-Length` is larger; readers of the body apply the same limit to chunked or
 * compressed bodies. Frames of sockets are not bodies.
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
