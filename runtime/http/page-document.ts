// What every page that the project serves begins and ends with.

/**
 * A page: `body` between its head and its end. Its script and style are `FILES.js` and `FILES.css`, as browsers shall ask
 * for them; `title` and `files` stand in it as they are.
 */
export function pageDocument(title: string, files: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files}.css">
<script src="${files}.js" defer></script>
</head>
<body>
${body}</body>
</html>
`;
}
