import { pageDocument } from "../../runtime/http/page-document.ts";

/** The document of the page. Its script adds the content. */
export const pageHtml = /* @__PURE__ */ pageDocument(
  "Sluice management",
  "page",
  "This page needs its script; the interface at /api does not.",
);
