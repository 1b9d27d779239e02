import { pageDocument } from "../../http/page-document.ts";

/** The page, which its script fills with the part that fits who is there. */
export const pageHtml = /* @__PURE__ */ pageDocument(
  "Developer portal",
  "page",
  "This page needs its script; the interface at /api/portal does not.",
);
