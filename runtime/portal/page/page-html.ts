import { documentOf } from "../../http/page-document.ts";

/** The page; its script shows the part that fits who is there. */
export const pageHtml = /* @__PURE__ */ documentOf(
  "Developer portal",
  "page",
  `<header>
<h1>Developer portal</h1>
<p id="who"></p>
<button id="leave" type="button" hidden>Log out</button>
</header>
<p id="message" role="status"></p>
<main>
<div id="enter">
<form id="login">
<h2>Developers</h2>
<label>E-mail <input name="username" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<p><button>Log in</button></p>
<details><summary>Change the password</summary>
<label>New password <input name="new_password" type="password" autocomplete="new-password"></label>
<p><button type="button" id="change">Change it</button></p>
</details>
</form>
<form id="token">
<h2>Administrators</h2>
<label>Access token <input name="token" type="password" autocomplete="off" required></label>
<p><button>Show requests</button></p>
</form>
</div>
<section id="administer" aria-labelledby="requests-title" hidden>
<h2 id="requests-title">Requests for access</h2>
<p><label>Show <select id="filter">
<option value="false">waiting</option><option value="true">approved</option><option value="">all</option>
</select></label></p>
<div class="scroll" role="region" aria-labelledby="requests-title" tabindex="0">
<table id="requests">
<thead><tr><th scope="col">Asked for</th><th scope="col">By</th><th scope="col">On</th><th scope="col">State</th><th scope="col"><span class="hidden">Do</span></th></tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>There are none.</p>
<p class="pages"><button type="button" id="before">Before</button> <span id="page"></span> <button type="button" id="after">After</button></p>
</section>
<div id="develop" hidden>
<section aria-labelledby="catalogue-title">
<h2 id="catalogue-title">Catalogue</h2>
<div class="scroll" role="region" aria-labelledby="catalogue-title" tabindex="0">
<table id="catalogue">
<thead><tr><th scope="col">Name</th><th scope="col">Version</th><th scope="col">What it is</th><th scope="col">Access</th></tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>There is nothing to ask for.</p>
</section>
<section aria-labelledby="own-title">
<h2 id="own-title">Your requests</h2>
<div class="scroll" role="region" aria-labelledby="own-title" tabindex="0">
<table id="own">
<thead><tr><th scope="col">Asked for</th><th scope="col">On</th><th scope="col">State</th><th scope="col"><span class="hidden">Do</span></th></tr></thead>
<tbody></tbody>
</table>
</div>
<p class="none" hidden>There are none.</p>
</section>
<section aria-labelledby="apps-title">
<h2 id="apps-title">Your apps and their webhooks</h2>
<form id="new-app">
<label>Name <input name="name" required></label>
<label>For <select name="product" multiple size="3"></select></label>
<p><button>Make an app</button></p>
</form>
<div id="apps"></div>
</section>
</div>
</main>
<dialog id="details" aria-labelledby="details-title">
<h2 id="details-title">Request</h2>
<dl id="fields"></dl>
<form method="dialog"><button>Close</button></form>
</dialog>
<dialog id="credential" aria-labelledby="credential-title">
<h2 id="credential-title">Credential</h2>
<p>It is shown once. Nobody can read it again.</p>
<dl id="secret"></dl>
<form method="dialog"><button>I have it</button></form>
</dialog>
<dialog id="sure" aria-labelledby="sure-title">
<h2 id="sure-title"></h2>
<p id="sure-text"></p>
<form method="dialog" id="answers"></form>
</dialog>
<noscript><p>This page needs its script; the interface at /api/portal does not.</p></noscript>
`,
);
