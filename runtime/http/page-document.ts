// The HTML frame of every page that the project serves.

/** Optional parts of a page. */
export interface PageDocumentOptions {
  /** A second style sheet, which overrides the first. */
  readonly style?: string;
  /** The language of the page, as a BCP 47 tag. */
  readonly language?: string;
  /** All languages in which the script can show the page. */
  readonly languages?: readonly string[];
}

/**
 * Returns a page that its script fills. Script and style are requested as `FILES.js` and `FILES.css`. `title`,
 * `files` and `without`, which is shown if scripts do not run, are inserted without escaping.
 */
export function pageDocument(
  title: string,
  files: string,
  without: string,
  { style = "", language = "en", languages = [] }: PageDocumentOptions = {},
): string {
  const second = style === "" ? "" : `\n<link rel="stylesheet" href="${style}">`;
  const choice = languages.length === 0 ? "" : ` data-languages="${languages.join(" ")}"`;
  return `<!doctype html>
<html lang="${language}"${choice}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files}.css">${second}
<script type="module" src="${files}.js"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>${without}</p></noscript>
</body>
</html>
`;
}

/** What a page may load and do: its own script and style, no icon (`data:,`), and requests to its own listener. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Headers for every response of a listener that has a page. */
export const sameOriginHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

/** Headers for the files of a page with a log-in. */
export const pageHeaders = {
  "content-security-policy": pagePolicy,
  ...sameOriginHeaders,
  "cross-origin-opener-policy": "same-origin",
} as const;
