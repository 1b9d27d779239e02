// What pictures are made of.

import type { Page } from "playwright-core";

/** A server with something to look at, and the views of its page. */
export interface Scene {
  readonly views: readonly View[];
  close(): Promise<void>;
}

/** One view of a page. */
export interface View {
  readonly name: string;
  /** Brings an empty page there. */
  show(page: Page): Promise<void>;
}
