// The types that describe pictures.

import type { Page } from "playwright-core";

/** A server with data to show, and the views of its page. */
export interface Scene {
  readonly views: readonly View[];
  close(): Promise<void>;
}

/** One view of a page. */
export interface View {
  readonly name: string;
  /** Navigates an empty page to the view. */
  show(page: Page): Promise<void>;
}
