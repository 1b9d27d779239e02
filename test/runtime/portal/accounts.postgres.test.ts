import { test } from "uvu";
import * as assert from "uvu/assert";
import { portalAccounts } from "../../../runtime/portal/accounts/accounts.ts";
import { smtpMailer } from "../../../runtime/portal/mail/smtp-mailer.ts";
import { portalPage } from "../../../runtime/portal/page/page.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { until } from "../../harness/wait.ts";
import { freshFile, testedDatabases } from "../store/databases.ts";
import { inStore, logIn, startPortal, type TestPortal } from "./portals.ts";

const url = "https://developers.example.com/portal/";
const smtp = smtpMailer({ from: "portal@example.com" });
const password = "correct horse battery";

interface EntranceAnswer {
  readonly status: number;
  readonly message: string;
  readonly cookie: string;
}

/** Starts a portal with developer accounts, and the mail server that receives its e-mails. */
async function startAccounts(address: TestPortal["address"], options = {}) {
  const server = await startMailServer();
  const portal = await startPortal(address, [], {
    smtp,
    page: portalPage,
    settings: { accounts: portalAccounts({ url, sign_up: true, ...options }) },
    environment: {
      GW_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
      GW_WEBHOOK_SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
    },
  });
  const post = async (path: string, body: object, headers = {}): Promise<EntranceAnswer> => {
    const response = await fetch(`${portal.url}/portal/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const { Message: message } = JSON.parse(await response.text());
    const [cookie = ""] = response.headers.getSetCookie();
    return { status: response.status, message, cookie: cookie.split(";", 1)[0] ?? "" };
  };
  const mailsTo = (address: string) => server.mails.filter(({ to }) => to.includes(address));
  return { portal, server, post, mailsTo };
}

/** Returns the text of an e-mail, without the line breaks that nodemailer inserts. */
function textOf({ raw }: MailServer["mails"][number]): string {
  return raw
    .slice(raw.indexOf("\r\n\r\n") + 4)
    .replaceAll("=\r\n", "")
    .replaceAll("=3D", "=");
}

/** Returns the token of the link in the latest e-mail to an address. */
async function tokenTo(server: MailServer, address: string, count = 1): Promise<string> {
  const mails = await until(() => {
    const found = server.mails.filter(({ to }) => to.includes(address));
    return found.length >= count && found;
  });
  const link = /^https:\/\/developers\.example\.com\/portal\/#\/(?:welcome|password)\/([\w-]{43})\r$/m;
  const found = link.exec(mails.map(textOf)[count - 1] ?? "");
  return found?.[1] ?? "";
}

async function isIn({ url: at }: TestPortal, cookie: string): Promise<boolean> {
  const response = await fetch(`${at}/portal/own/me`, { headers: { cookie } });
  await response.arrayBuffer();
  return response.status === 200;
}

/** Returns who changed what, newest first. */
async function changesIn(portal: TestPortal): Promise<readonly string[]> {
  const { body } = await portal.ask("GET", "/audit");
  return body.Data.map(({ actor, action }) => `${actor} ${action}`);
}

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: developers sign up by a link, and the response does not reveal whether an account exists`, async () => {
    const { portal, server, post, mailsTo } = await startAccounts(await fresh());
    const asked = await post("entrance/sign-up", { email: "Ann@example.com" });
    assert.equal(asked, {
      status: 200,
      message: "If this address can be used, an e-mail with a link is on its way to it.",
      cookie: "",
    });
    const token = await tokenTo(server, "Ann@example.com");
    const bad = await post("entrance/sign-up/complete", { token, password: "short" });
    assert.is(bad.status, 400);
    const wrong = await post("entrance/sign-up/complete", { token: `${token}x`, password });
    assert.equal(
      [wrong.status, wrong.message],
      [400, "This link has already been used or has expired. Request another one."],
    );
    assert.is((await post("entrance/password/choose", { token, password })).status, 400);
    const both = await Promise.all([
      post("entrance/sign-up/complete", { token, password, fields: { team: "shop" } }),
      post("entrance/sign-up/complete", { token, password }),
    ]);
    const done = both.find(({ status }) => status === 200);
    assert.equal([done?.message, both.filter(({ status }) => status === 200).length], ["Ann@example.com", 1]);
    assert.ok(await isIn(portal, done?.cookie ?? ""));
    assert.equal(await changesIn(portal), ["ann@example.com signUp"]);
    assert.is((await post("entrance/sign-up/complete", { token, password })).status, 400);
    assert.is((await post("entrance/login", { username: "ann@example.com", password })).status, 200);

    const again = await post("entrance/sign-up", { email: "ann@example.com" });
    assert.equal([again.status, again.message], [200, asked.message]);
    const known = await until(() =>
      mailsTo("Ann@example.com").find(({ raw }) => /^Subject: You have an account already\r$/m.test(raw)),
    );
    assert.match(textOf(known), /portal\/#\/forgotten/);
    const { links, developers } = await inStore(portal.address, async (connection) => ({
      links: await connection.selectFrom("portal_links").selectAll().execute(),
      developers: await connection.selectFrom("portal_developers").select("record").execute(),
    }));
    assert.is(developers.length, 1);
    assert.not.ok(JSON.stringify([links, developers, portal.lines]).includes(token));
    await portal.close();
    await server.close();
  });

  test(`${title}: a forgotten password is reset by a link, and sessions end`, async () => {
    const { portal, server, post } = await startAccounts(await fresh(), { sign_up: false });
    const { body } = await portal.ask("POST", "/developers", { email: "ann@example.com", password });
    await portal.ask("POST", "/developers", { email: "gone@example.com", password, inactive: true });
    const { cookie } = await post("entrance/login", { username: "ann@example.com", password });
    const answers = [];
    for (const email of ["ann@example.com", "nobody@example.com", "gone@example.com"]) {
      answers.push(await post("entrance/password/link", { email }));
    }
    assert.equal(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.is(new Set(answers.map(({ message }) => message)).size, 1);
    const token = await tokenTo(server, "ann@example.com");
    const reused = await post("entrance/password/choose", { token, password });
    assert.is(reused.status, 400);
    assert.ok(await isIn(portal, cookie));
    // Using one of two links invalidates the other.
    await post("entrance/password/link", { email: "ANN@example.com" });
    const other = await tokenTo(server, "ann@example.com", 2);
    assert.is((await post("entrance/password/choose", { token, password: "another one" })).status, 200);
    assert.not.ok(await isIn(portal, cookie));
    assert.is(
      (await post("entrance/password/choose", { token: other, password: "a third one" })).status,
      400,
    );
    assert.is((await post("entrance/login", { username: "ann@example.com", password })).status, 401);
    const next = await post("entrance/login", { username: "ann@example.com", password: "another one" });
    assert.is(next.status, 200);
    assert.is((await changesIn(portal))[0], "ann@example.com choosePassword");

    // A developer who is logged in changes the password with the current one.
    const change = (present: string) =>
      post("own/password", { password: present, new_password: "a fourth one" }, { cookie: next.cookie });
    assert.is((await change("guess")).status, 403);
    const elsewhere = await post("entrance/login", { username: "ann@example.com", password: "another one" });
    const changed = await change("another one");
    assert.is(changed.status, 200);
    assert.equal(
      [
        await isIn(portal, next.cookie),
        await isIn(portal, elsewhere.cookie),
        await isIn(portal, changed.cookie),
      ],
      [false, false, true],
    );

    // What a developer had before it was made inactive stays ended when it becomes active again.
    await post("entrance/password/link", { email: "ann@example.com" });
    const withdrawn = await tokenTo(server, "ann@example.com", 3);
    for (const inactive of [true, false])
      await portal.ask("PUT", `/developers/${body.Message}`, { email: "ann@example.com", inactive });
    assert.not.ok(await isIn(portal, changed.cookie));
    assert.is(
      (await post("entrance/password/choose", { token: withdrawn, password: "a fifth one" })).status,
      400,
    );
    assert.is(
      (await post("entrance/login", { username: "ann@example.com", password: "a fourth one" })).status,
      200,
    );

    // A link is useless after the address belongs to another account, or after it has expired.
    await post("entrance/password/link", { email: "ann@example.com" });
    const late = await tokenTo(server, "ann@example.com", 4);
    await portal.ask("PUT", `/developers/${body.Message}`, { email: "ada@example.com" });
    assert.is((await post("entrance/password/choose", { token: late, password: "a fifth one" })).status, 400);
    await post("entrance/password/link", { email: "ada@example.com" });
    const old = await tokenTo(server, "ada@example.com");
    await inStore(portal.address, (connection) =>
      connection.updateTable("portal_links").set({ expires: "2026-01-01T00:00:00.000Z" }).execute(),
    );
    assert.is((await post("entrance/password/choose", { token: old, password: "a fifth one" })).status, 400);
    const last = { username: "ada@example.com", password: "a fourth one", new_password: "a fifth one" };
    assert.is((await post("entrance/password", last)).status, 200);
    assert.is((await changesIn(portal))[0], "ada@example.com changeOwnPassword");
    assert.not.ok(server.mails.some(({ to }) => to.join().match(/nobody|gone/)));
    assert.is((await post("entrance/sign-up", { email: "new@example.com" })).status, 404);
    await portal.close();
    await server.close();
  });
}

test("links for an account go to its own address, and to no other mailbox", async () => {
  const { portal, server, post } = await startAccounts(await freshFile());
  await portal.ask("POST", "/developers", { email: "mike.å@example.com", password });
  // In lower case, both are the address of the account: they contain the Kelvin sign and the Ångström sign.
  for (const email of ["mi\u212ae.å@example.com", "mike.\u212b@example.com", "mike.å@e\uff58ample.com"]) {
    for (const path of ["password/link", "sign-up"]) {
      assert.is((await post(`entrance/${path}`, { email })).status, 400, `${path} ${email}`);
    }
    assert.is((await portal.ask("POST", "/developers", { email, password })).status, 400);
  }
  await post("entrance/password/link", { email: "MIKE.Å@Example.com" });
  const [mail] = await until(() => server.mails.length > 0 && server.mails);
  assert.equal(mail?.to, ["mike.å@example.com"]);
  await portal.close();
  await server.close();
});

test("e-mails with links are limited per recipient and per client, and only the page itself may request them", async () => {
  const { portal, server, post, mailsTo } = await startAccounts(await freshFile());
  const ask = (email: string, headers = {}) => post("entrance/sign-up", { email }, headers);
  assert.is((await ask("ann@example.com", { "sec-fetch-site": "cross-site" })).status, 403);
  // Over plain HTTP, browsers send only the origin, and `SameSite` allows other ports of the host.
  const other = new URL(portal.url);
  other.port = String(Number(other.port) ^ 1);
  for (const origin of [other.origin, "null", "https://evil.example", "nonsense"])
    assert.is((await ask("ann@example.com", { origin })).status, 403, origin);
  const own = { origin: portal.url, "sec-fetch-site": "same-origin" };
  for (const headers of [{ origin: portal.url }, own])
    assert.is((await ask("ann", headers)).status, 400, "judged by its content");
  for (const email of ["ann", "ann@example.com\r\nBcc: eve@example.com", "a@b, c@d", "<ann@example.com>"]) {
    assert.is((await ask(email)).status, 400, email);
  }
  const statuses = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await ask("ann@example.com")).status);
  assert.equal(statuses, [200, 200, 200, 200, 200, 429]);
  for (let count = 0; count < 45; count += 1) assert.is((await ask(`dev${count}@example.com`)).status, 200);
  assert.is((await ask("another@example.com")).status, 429);
  // Two e-mails are sent at a time.
  await until(() => mailsTo("dev44@example.com").length === 1 && mailsTo("ann@example.com").length >= 3);
  assert.is(mailsTo("ann@example.com").length, 3);
  await portal.close();
  await server.close();
});

test("the configuration sets e-mail texts, sign-up, and whether new developers are logged in at once", async () => {
  const { portal, server, post } = await startAccounts(await freshFile());
  const copy = { subject: "Hello\r\nBcc: eve@example.com", body: "Here it is:", sign_off: "Bye." };
  const configuration = { mail_options: { email_copy: { sign_up_email: copy } }, disable_auto_login: true };
  await portal.ask("POST", "/configuration", configuration);
  await post("entrance/sign-up", { email: "ann@example.com" });
  const token = await tokenTo(server, "ann@example.com");
  assert.match(server.mails.map(textOf)[0] ?? "", /^Here it is:\r\n\r\nhttps:\S+\r\n\r\nBye\.\r\n$/);
  assert.equal(server.mails[0]?.to, ["ann@example.com"]);
  const placed = { sign_up_email: { subject: "{{portal}}", body: "{{link}}\n\nis for {{email}}." } };
  await portal.ask("PUT", "/configuration", { ...configuration, mail_options: { email_copy: placed } });
  await post("entrance/sign-up", { email: "eve@example.com" });
  const other = await until(() => server.mails[1]);
  assert.match(textOf(other), /^https:\S+\r\n\r\nis for eve@example\.com\.\r\n$/);
  assert.match(other.raw, /^Subject: Developer portal\r$/m);
  assert.equal(await post("entrance/sign-up/complete", { token, password }), {
    status: 200,
    message: "ann@example.com",
    cookie: "",
  });
  await portal.ask("PUT", "/configuration", { disable_signup: true });
  assert.is((await post("entrance/sign-up", { email: "bob@example.com" })).status, 403);
  const abilities = await fetch(`${portal.url}/portal/entrance/abilities`);
  assert.equal(await abilities.json(), { sign_up: false, password_reset: true });
  await portal.close();
  await server.close();
});

test("sign-up asks for the configured fields, and enforces required ones", async () => {
  const { portal, server, post } = await startAccounts(await freshFile());
  const fields = [
    "team",
    { name: "constructor", label: "Builder", required: true },
    "team",
    7,
    null,
    { x: 1 },
  ];
  const { body: made } = await portal.ask("POST", "/configuration", { signup_fields: fields });
  assert.is(made.Status, "OK");
  const abilities = await fetch(`${portal.url}/portal/entrance/abilities`);
  assert.equal(await abilities.json(), {
    sign_up: true,
    password_reset: true,
    sign_up_fields: [
      { name: "team", label: "team", required: false },
      { name: "constructor", label: "Builder", required: true },
    ],
  });
  await post("entrance/sign-up", { email: "ann@example.com" });
  const token = await tokenTo(server, "ann@example.com");
  const complete = (answers?: object) =>
    post("entrance/sign-up/complete", { token, password, ...(answers && { fields: answers }) });
  const refusedOnes: readonly (object | undefined)[] = [
    undefined,
    {},
    { team: "shop" },
    { constructor: " \t" },
    { constructor: "x".repeat(1_001) },
  ];
  for (const answers of refusedOnes) {
    const { status, message } = await complete(answers);
    assert.is(status, 400);
    assert.is(message, "The sign-up is incomplete or too long.");
  }
  assert.is((await complete({ constructor: "Ann & Co" })).status, 200);
  const { body } = await portal.ask("GET", "/developers/email/ann@example.com");
  assert.equal(body.fields, { constructor: "Ann & Co" });
  await portal.close();
  await server.close();
});

/** Starts a portal with two developers: one reads German, the other owns a team. */
async function startTeam(options = {}) {
  const started = await startAccounts(await freshFile(), options);
  const { portal } = started;
  await portal.ask("POST", "/developers", { email: "ann@example.com", password });
  await portal.ask("POST", "/developers", { email: "Bob@example.com", password, language: "de" });
  const own = await logIn(portal, "ann@example.com", password);
  const team = (await own("POST", "/teams", { name: "Shipping & Co" })).body.Message;
  const invite = async (email: string) => {
    const { status, body } = await own("POST", `/teams/${team}/invitations`, { email, role: "member" });
    assert.is(status, 200, email);
    return body.Message;
  };
  return { ...started, own, team, invite };
}

test("an e-mail announces an invitation, in the invitee's language and the operator's words", async () => {
  const { portal, server, own, team, invite, mailsTo } = await startTeam();
  const nextTo = (address: string, count = 1) =>
    until(() => {
      const found = mailsTo(address);
      return found.length >= count && found[count - 1];
    });
  assert.is(await invite("bob@example.com"), "Data updated");
  const german = await nextTo("Bob@example.com");
  assert.match(german.raw, /^Subject: Sie sind in ein Team eingeladen\r$/m);
  assert.match(
    textOf(german),
    /Shipping & Co.*\r\n\r\nhttps:\/\/developers\.example\.com\/portal\/#\/teams\r\n$/s,
  );
  assert.not.match(textOf(german), /registrieren/);
  await invite("new@example.com");
  const english = await nextTo("new@example.com");
  assert.match(english.raw, /^Subject: You are invited to a team\r$/m);
  assert.match(textOf(english), /sign up with this address first\./);

  for (const name of ["Win at evil.example", "https evil", "@eve", "x".repeat(41)]) {
    await own("PUT", `/teams/${team}`, { name });
    const address = `${name.length}@example.com`;
    await invite(address);
    const text = textOf(await nextTo(address));
    assert.not.ok(text.includes(name), text);
    assert.match(text, /of a member of the portal/);
  }

  const copy = { subject: "{{portal}}", body: "{{email}} may join {{team}}:\n{{link}}", sign_off: "Bye." };
  await own("PUT", `/teams/${team}`, { name: "{{email}}" });
  const configuration = { mail_options: { email_copy: { team_invitation_email: copy } } };
  assert.is((await portal.ask("POST", "/configuration", configuration)).status, 200);
  await invite("own@example.com");
  assert.match(
    textOf(await nextTo("own@example.com")),
    /^own@example\.com may join of a member.*:\r\nhttps:\S+\r\n\r\nBye\.\r\n$/,
  );
  const wrong = { mail_options: { email_copy: { team_invitation_email: { subject: "{{team}}" } } } };
  assert.is(
    (await portal.ask("PUT", "/configuration", wrong)).status,
    422,
    "subjects are shown by programs of others",
  );
  await portal.close();
  await server.close();
});

test("invitations are rate-limited, and responses do not reveal accounts", async () => {
  const { portal, server, invite, mailsTo } = await startTeam();
  for (let count = 0; count < 5; count += 1) await invite("new@example.com");
  for (let count = 0; count < 17; count += 1)
    assert.is(await invite(`dev${count}@example.com`), "Data updated");
  const untold = "The invitation is valid, but no more e-mails are sent today.";
  assert.equal([await invite("bob@example.com"), await invite("nobody@example.com")], [untold, untold]);
  await until(() => mailsTo("dev16@example.com").length === 1 && mailsTo("new@example.com").length >= 3);
  assert.equal(
    ["new@example.com", "Bob@example.com", "nobody@example.com"].map((address) => mailsTo(address).length),
    [3, 0, 0],
  );
  const bob = await logIn(portal, "bob@example.com", password);
  assert.is((await bob("GET", "/invitations")).body.Data.length, 1, "the invitation stands");
  await portal.close();
  await server.close();
});

test("a portal without sign-up writes to its developers only, and with e-mails off to no address", async () => {
  for (const [options, expected] of [
    [{ sign_up: false }, ["Bob@example.com"]],
    [{ invitations: false }, []],
  ] as const) {
    const { portal, server, invite } = await startTeam(options);
    assert.equal(
      [await invite("new@example.com"), await invite("bob@example.com")],
      ["Data updated", "Data updated"],
    );
    await until(async () => (await portal.ask("GET", "/mails")).body.Data.length === 0);
    assert.equal(
      server.mails.flatMap(({ to }) => to),
      expected,
    );
    await portal.close();
    await server.close();
  }
});

test("a portal without accounts offers no account functions", async () => {
  const portal = await startPortal(await freshFile(), [], { page: portalPage });
  const abilities = await fetch(`${portal.url}/portal/entrance/abilities`);
  assert.equal(await abilities.json(), { sign_up: false, password_reset: false });
  const description = await (await fetch(`${portal.url}/portal/entrance/openapi.json`)).text();
  assert.not.match(description, /sign-up|password\/link/);
  const response = await fetch(`${portal.url}/portal/entrance/sign-up`, { method: "POST", body: "{}" });
  assert.is(response.status, 404);
  await portal.close();
});

test.run();
