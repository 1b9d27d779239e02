import { pageDocument } from "../../http/page-document.ts";

/** The page for operators; its script fills the tables. */
export const pageHtml = /* @__PURE__ */ pageDocument(
  "Gateway",
  "/page",
  `<header>
<h1>Gateway</h1>
<p id="ready" role="status">Asking the gateway …</p>
<p class="tools"><button id="pause" type="button" aria-pressed="false">Pause</button>
<span id="updated"></span></p>
</header>
<main>
<ul id="reasons" aria-label="What is wrong" hidden></ul>
<section aria-labelledby="streams-title">
<h2 id="streams-title">Streams</h2>
<div class="scroll" role="region" aria-labelledby="streams-title" tabindex="0">
<table id="streams">
<thead><tr>
<th scope="col">API</th><th scope="col">Stream</th><th scope="col">State</th>
<th scope="col" class="number">Received/s</th><th scope="col" class="number">Delivered/s</th>
<th scope="col" class="number">Failed/s</th><th scope="col" class="number">Received</th>
<th scope="col" class="number">Delivered</th><th scope="col" class="number">Failed</th>
<th scope="col" class="number">In flight</th><th scope="col" class="number">Clients</th>
<th scope="col" class="number">Lag</th>
</tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>There are none.</p>
</section>
<section aria-labelledby="routes-title">
<h2 id="routes-title">Routes</h2>
<div class="scroll" role="region" aria-labelledby="routes-title" tabindex="0">
<table id="routes">
<thead><tr>
<th scope="col">Path</th><th scope="col">Verbs</th><th scope="col">Served by</th><th scope="col">API</th>
<th scope="col">Who may call</th><th scope="col">Protected by</th>
</tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>There are none.</p>
</section>
</main>
<noscript><p>This page needs its script; <a href="/streams">/streams</a> and <a href="/routes">/routes</a> do not.</p></noscript>
`,
);
