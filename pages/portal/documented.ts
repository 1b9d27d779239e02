// What documents about APIs say, of whichever kind they are.

import type { Part } from "./schemas.ts";
import type { KeyPlace } from "./security.ts";

/** How an operation can be tried. */
export type Transport = "http" | "events" | "websocket";

/** An operation of an OpenAPI document or of an AsyncAPI document. */
export interface DocumentedOperation {
  /** What is shown before the path: a method, or what is done. */
  readonly verb: string;
  /** Of requests that try it. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly DocumentedParameter[];
  readonly bodies: readonly DocumentedBody[];
  /** A sample of what is sent; empty where nothing is. */
  readonly sample: string;
  readonly keys: readonly KeyPlace[];
  /** The likely one first; empty where the page cannot try it. */
  readonly transports: readonly Transport[];
}

/** A body or a message. */
export interface DocumentedBody {
  readonly title: string;
  readonly summary: string;
  /** Media type; empty where it is not said. */
  readonly type: string;
  /** With references into the document. */
  readonly schema: unknown;
  /** Of the headers of a message. */
  readonly headers?: unknown;
}

/** A parameter of an operation. */
export interface DocumentedParameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly type: string;
}

/** A document as the page shows it. */
export interface ReadDocument {
  readonly kind: "OpenAPI" | "AsyncAPI";
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Path of the first server, where it has one. */
  readonly base: string;
  readonly operations: readonly DocumentedOperation[];
  /** What references lead into. */
  readonly root: Part;
}
