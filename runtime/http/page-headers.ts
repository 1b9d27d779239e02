// What goes along with the pages that the project serves: nothing from elsewhere in them, and they in nothing from elsewhere.

/** What a page may load and do: its own script and style, no icon (`data:,`), and questions to its own listener. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** For every answer of a listener that has a page. */
export const sameOriginHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

/** For the files of a page that somebody logs in at. */
export const pageHeaders = {
  "content-security-policy": pagePolicy,
  ...sameOriginHeaders,
  "cross-origin-opener-policy": "same-origin",
} as const;
