// What every page that the project serves begins and ends with.

/** What a page may have beside its script and style. */
export interface PageDocumentOptions {
  /** A second style sheet, whose rules win. */
  readonly style?: string;
  /** Its language, by a tag of BCP 47. */
  readonly language?: string;
  /** All languages that its script can show it in. */
  readonly languages?: readonly string[];
}

/**
 * A page, which its script fills. Its script and style are `FILES.js` and `FILES.css`, as browsers shall ask for them;
 * `title`, `files` and `without`, what is shown where scripts do not run, stand in it as they are.
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

/** For the files of a page with a log-in. */
export const pageHeaders = {
  "content-security-policy": pagePolicy,
  ...sameOriginHeaders,
  "cross-origin-opener-policy": "same-origin",
} as const;
