// The page on which a user authorizes a client: a form without scripts. The policy allows its style by a hash.

import { createHash } from "node:crypto";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { OauthClient } from "./clients.ts";
import type { Grant } from "./tokens.ts";

/** A page and its content security policy. */
export interface AuthorizationPage {
  readonly html: string;
  readonly policy: string;
}

/** The colours and sizes of the pages of the portal and the management service. */
const style = `:root{color-scheme:light dark;--paper:light-dark(#f5f7f9,#11161b);--card:light-dark(#fff,#1a2128);--ink:light-dark(#15202a,#e7edf2);--faint:light-dark(#52616e,#9fb0bd);--edge:light-dark(#7d8c99,#6f7f8c);--accent:light-dark(#0b6682,#62c6de);--on-accent:light-dark(#fff,#06222b);--bad:light-dark(#a8181b,#ff9a94)}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{box-sizing:border-box;max-width:26rem;margin:8vh auto;padding:1.5rem;background:var(--card);border-radius:.6rem}
h1{margin:0 0 .75rem;font-size:1.25rem;overflow-wrap:anywhere}
p,li{color:var(--faint);overflow-wrap:anywhere}
label{display:block;margin:.75rem 0 .25rem}
input{box-sizing:border-box;width:100%;padding:.5rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--edge);border-radius:.4rem}
button{margin:1rem .5rem 0 0;padding:.5rem 1rem;font:inherit;color:inherit;background:none;border:1px solid var(--edge);border-radius:.4rem;cursor:pointer}
button[value=allow]{color:var(--on-accent);background:var(--accent);border-color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.error{color:var(--bad)}`;

const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; frame-ancestors 'none'`;

/** A form shown again: the error, and the user name that was entered. */
interface Again {
  readonly error: string;
  readonly user: string;
}

/** Returns the page that asks a user for name, password and decision. */
export function consentPage(
  { client, scopes, redirectUri }: AuthorizationRequest,
  again?: Again,
): AuthorizationPage {
  const name = nameOf(client);
  return pageOf(
    `Allow ${name}?`,
    `<p>The application <strong>${escapeText(name)}</strong> asks to act for you. You return to ${escapeText(placeOf(redirectUri))}.</p>
${decisionForm(scopes, again)}`,
  );
}

/** Returns the page that asks a user for the code shown by a device. `error`: why the last code failed. */
export function codePage(error?: string): AuthorizationPage {
  return pageOf(
    "Connect a device",
    `<p>Enter the code that the device shows.</p>${failureOf(error)}
<form method="get">
<label for="user_code">Code</label><input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="WDJB-MJHT" required autofocus>
<button>Continue</button>
</form>`,
  );
}

/** Like `consentPage`, for a device. The user may have got the code from another person (RFC 8628, section 5.4). */
export function devicePage(
  { client, grant }: { readonly client: OauthClient; readonly grant: Pick<Grant, "scopes"> },
  again?: Again,
): AuthorizationPage {
  const name = nameOf(client);
  return pageOf(
    `Allow ${name}?`,
    `<p>A device with the application <strong>${escapeText(name)}</strong> asks to act for you. Allow it only where the device is in front of you and shows this code.</p>
${decisionForm(grant.scopes, again)}`,
  );
}

function nameOf({ client_id: id, app_description: description = "" }: OauthClient): string {
  return description === "" ? id : description;
}

function failureOf(error: string | undefined): string {
  return error === undefined ? "" : `<p class="error" role="alert">${escapeText(error)}</p>`;
}

function decisionForm(scopes: readonly string[], again: Again | undefined): string {
  const list = scopes.map((scope) => `<li>${escapeText(scope)}</li>`).join("");
  const allowed = list === "" ? "" : `<p>It may then use:</p><ul>${list}</ul>`;
  // Keep the entered user name, and focus the field to correct.
  const user = again?.user ?? "";
  const [ofName, ofPassword] =
    user === "" ? [" autofocus", ""] : [` value="${escapeText(user)}"`, " autofocus"];
  // Without an action, the form is sent to the URL of the page, including its query.
  return `${allowed}${failureOf(again?.error)}
<form method="post">
<label for="username">User name</label><input id="username" name="username" autocomplete="username" autocapitalize="none"${ofName}>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password"${ofPassword}>
<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button>
</form>`;
}

/** Returns the page that explains a failure when the user cannot be redirected to the client. */
export function failurePage(reason: string): AuthorizationPage {
  return pageOf(
    "This request cannot be answered",
    `${failureOf(reason)}<p>Return to the application and try again.</p>`,
  );
}

/** Returns the page that explains why the sign-in failed, with a link. `address` is one of the server's own. */
export function noticePage(
  title: string,
  reason: string,
  { text, address }: { readonly text: string; readonly address: string },
): AuthorizationPage {
  const link = `<a href="${escapeText(address)}">${escapeText(text)}</a>`;
  return pageOf(title, `<p class="error" role="alert">${escapeText(reason)}</p><p>${link}</p>`);
}

/** Returns the page that reports success. */
export function donePage(title: string, text: string): AuthorizationPage {
  return pageOf(title, `<p role="status">${escapeText(text)}</p>`);
}

function pageOf(title: string, content: string): AuthorizationPage {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeText(title)}</title><style>${style}</style></head>
<body><main><h1>${escapeText(title)}</h1>
${content}
</main></body></html>
`;
  return { html, policy };
}

/** Returns the host of the redirect URI, or the scheme if the URI belongs to a native app. */
function placeOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host === "" ? protocol.slice(0, -1) : host;
}

/** Escapes a text for HTML, including attribute values. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
