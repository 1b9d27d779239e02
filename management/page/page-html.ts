import { pageDocument } from "../../runtime/http/page-document.ts";

/** The page, which its script fills. */
export const pageHtml = /* @__PURE__ */ pageDocument(
  "Sluice management",
  "page",
  "This page needs its script; the interface at /api does not.",
);
