// What every page that the project serves begins and ends with.

/**
 * A page, which its script fills. Its script and style are `FILES.js` and `FILES.css`, as browsers shall ask for them;
 * `title`, `files` and `without`, what is shown where scripts do not run, stand in it as they are. `style` names a second style
 * sheet, whose rules win.
 */
export function pageDocument(title: string, files: string, without: string, style = ""): string {
  const second = style === "" ? "" : `\n<link rel="stylesheet" href="${style}">`;
  return `<!doctype html>
<html lang="en">
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
