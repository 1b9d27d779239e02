import { documentOf } from "../../runtime/http/page-document.ts";

/** The page; its script shows the part that fits. */
export const pageHtml = /* @__PURE__ */ documentOf(
  "Sluice management",
  "page",
  `<header>
<h1>Sluice <span>management</span></h1>
<p id="message" role="status"></p>
<button id="leave" type="button" hidden>Forget the key</button>
</header>
<main>
<form id="enter">
<h2>Who are you?</h2>
<label>API key <input name="key" type="password" autocomplete="off" required></label>
<p class="note">It stays in the memory of this page, and is gone when the page is.</p>
<p><button class="main">Show the APIs</button></p>
</form>
<section id="apis" aria-labelledby="apis-title" hidden>
<div class="bar">
<h2 id="apis-title">Streaming APIs</h2>
<label>Search <input id="search" type="search"></label>
<a class="button main" href="#new">New API</a>
</div>
<div class="scroll" role="region" aria-labelledby="apis-title" tabindex="0">
<table id="api-table">
<thead><tr><th scope="col">Name</th><th scope="col">Listen path</th><th scope="col">Streams</th><th scope="col" class="number">In/s</th><th scope="col" class="number">Out/s</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Version</th><th scope="col">Changed</th></tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>There are none.</p>
</section>
<section id="api" aria-labelledby="api-title" hidden>
<div class="bar">
<a class="button" href="#">All APIs</a>
<h2 id="api-title"></h2>
<p id="version"></p>
<span class="stretch"></span>
<button id="save" type="button" class="main">Save</button>
<button id="publish" type="button">Publish</button>
<button id="delete" type="button">Delete</button>
</div>
<div class="columns">
<section aria-labelledby="definition-title">
<h3 id="definition-title">Definition</h3>
<div id="editor"></div>
</section>
<section aria-labelledby="problems-title">
<h3 id="problems-title">Diagnostics</h3>
<p id="summary" role="status"></p>
<ol id="problems"></ol>
</section>
</div>
<section aria-labelledby="streams-title" id="streams">
<h3 id="streams-title">Streams</h3>
<div class="scroll" role="region" aria-labelledby="streams-title" tabindex="0">
<table id="stream-table">
<thead><tr><th scope="col">Stream</th><th scope="col">State</th><th scope="col" class="number">In/s</th><th scope="col" class="number">Out/s</th><th scope="col" class="number">Received</th><th scope="col" class="number">Written</th><th scope="col" class="number">Failed</th><th scope="col" class="number">In flight</th><th scope="col"><span class="hidden">Do</span></th></tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>None is deployed.</p>
</section>
<section aria-labelledby="tail-title" id="tail" hidden>
<div class="bar">
<h3 id="tail-title" tabindex="-1"></h3>
<p id="missed" role="status" class="note"></p>
<span class="stretch"></span>
<button id="stop-tail" type="button">Look no longer</button>
</div>
<ol id="messages" aria-labelledby="tail-title" tabindex="0"></ol>
</section>
<section aria-labelledby="routes-title" id="routes" hidden>
<h3 id="routes-title">Routes of this text</h3>
<div class="scroll" role="region" aria-labelledby="routes-title" tabindex="0">
<table id="route-table">
<thead><tr><th scope="col">Path</th><th scope="col">Verbs</th><th scope="col">Served by</th><th scope="col">Who may call</th></tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>There are none.</p>
</section>
<section aria-labelledby="pictures-title">
<h3 id="pictures-title">Topology</h3>
<div id="pictures"></div>
</section>
</section>
</main>
<dialog id="sure" aria-labelledby="sure-title">
<h2 id="sure-title"></h2>
<p id="sure-text"></p>
<form method="dialog" id="answers"></form>
</dialog>
<dialog id="publishing" aria-labelledby="publishing-title">
<form method="dialog" id="offer">
<h2 id="publishing-title">Publish to the portal</h2>
<label>Name, if not that of the API <input name="name"></label>
<label>Policy that access is given by <input name="policy_id" required></label>
<label>Short description <input name="short_description"></label>
<label class="check"><input name="show" type="checkbox" checked> Shown in the catalogue</label>
<p><button class="main" value="publish">Publish</button> <button value="" formnovalidate>Cancel</button></p>
</form>
</dialog>
<noscript><p>This page needs its script; the interface at /api does not.</p></noscript>
`,
);
