import { pageDocument } from "../../http/page-document.ts";

/** The page for operators, which its script fills. */
export const pageHtml = /* @__PURE__ */ pageDocument(
  "Gateway",
  "/page",
  'This page needs its script; <a href="/streams">/streams</a> and <a href="/routes">/routes</a> do not.',
);
