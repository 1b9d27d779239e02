import { createServer } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { smtpMailer } from "../../../runtime/portal/mail/smtp-mailer.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import { type MailServer, type ReceivedMail, startMailServer } from "../../harness/mail-server.ts";
import { freePort } from "../../harness/ports.ts";
import { checkMetrics } from "../../harness/promtool.ts";
import { eventually, until } from "../../harness/wait.ts";
import { freshFile, testedDatabases } from "../store/databases.ts";
import { createPolicy, inStore, startPortal, type TestPortal, tokens } from "./portals.ts";

const smtp = smtpMailer({ from: "gateway@example.com", retry_period: 10, max_retry_backoff: 50 });

function addressOf({ port }: Pick<MailServer, "port">, user = ""): Readonly<Record<string, string>> {
  return { GW_SMTP_URL: `smtp://${user}127.0.0.1:${port}` };
}

const letter = { enabled: true, subject: "Subject", body: "The text.", sign_off: "The end." };
const options = (more: object, others: object = {}) => ({
  mail_options: {
    mail_from_name: "Portal",
    mail_from_email: "portal@example.com",
    email_copy: more,
    ...others,
  },
});

/** Waits for the next message and returns it with its text. */
async function next(server: MailServer, count: number): Promise<ReceivedMail & { readonly text: string }> {
  await until(() => server.mails.length >= count, { what: `${count} e-mails` });
  const mail = server.mails[count - 1];
  if (mail === undefined) throw new Error("there is none");
  return { ...mail, text: mail.raw.slice(mail.raw.indexOf("\r\n\r\n") + 4) };
}

async function approve(portal: TestPortal, user: string, policy: string) {
  const made = await portal.ask("POST", "/requests", { by_user: user, apply_policies: [policy] });
  return portal.ask("PUT", `/requests/approve/${made.body.Message}`);
}

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: developers receive the e-mails that the configuration enables`, async () => {
    const server = await startMailServer();
    const portal = await startPortal(await fresh(), [], { smtp, environment: addressOf(server) });
    const [gold, silver] = [await createPolicy(portal, "gold"), await createPolicy(portal, "silver")];
    const copy = { welcome_email: letter, key_email: letter, reset_password_email: letter };
    await portal.ask("POST", "/configuration", options(copy));
    await portal.ask("POST", "/catalogue", {
      apis: [
        {
          policy_id: silver,
          auth_type: "basic",
          config: {
            override: true,
            ...options({ key_email: { ...letter, body: "Silver.", hide_token_data: true } }),
          },
        },
      ],
    });
    const { body } = await portal.ask("POST", "/developers", { email: "ann@example.com" });
    const welcome = await next(server, 1);
    assert.equal([welcome.from, welcome.to], ["portal@example.com", ["ann@example.com"]]);
    assert.match(welcome.raw, /^From: Portal <portal@example\.com>\r$/m);
    assert.match(welcome.raw, /^Subject: Subject\r$/m);
    assert.is(welcome.text, "The text.\r\n\r\nThe end.\r\n");

    const { body: key } = await approve(portal, body.Message, gold);
    assert.is((await next(server, 2)).text, `The text.\r\n\r\nKey: ${key.RawKey}\r\n\r\nThe end.\r\n`);
    const { body: user } = await approve(portal, body.Message, silver);
    assert.is.not(user.Password, "");
    assert.is((await next(server, 3)).text, "Silver.\r\n\r\nThe end.\r\n");
    await portal.ask("POST", `/developers/password/${body.Message}`, { password: "a new password" });
    assert.not.match((await next(server, 4)).raw, /a new password/);

    await portal.ask("PUT", "/configuration", options({ key_email: { ...letter, enabled: false } }));
    assert.is((await approve(portal, body.Message, gold)).status, 200);
    await portal.close();
    assert.is(server.mails.length, 4);
    assert.not.ok(JSON.stringify(portal.lines).includes(key.RawKey));
    await server.close();
  });
}

for (const [title, fresh] of testedDatabases()) {
  test(`${title}: several gateways send each e-mail once`, async () => {
    const server = await startMailServer();
    const address = await fresh();
    const more = { smtp, environment: addressOf(server) };
    const portals = [await startPortal(address, [], more), await startPortal(address, [], more)];
    await portals[0]?.ask("POST", "/configuration", options({ welcome_email: letter }));
    const emails = Array.from({ length: 20 }, (_, index) => `dev${index}@example.com`);
    await Promise.all(
      emails.map((email, index) => portals[index % 2]?.ask("POST", "/developers", { email })),
    );
    await until(() => server.mails.length >= emails.length);
    for (const portal of portals) await portal.close();
    assert.equal(server.mails.flatMap(({ to }) => to).toSorted(), emails.toSorted());
    await server.close();
  });
}

test("e-mail placeholders are replaced once, and unknown ones are rejected with the known ones listed", async () => {
  const server = await startMailServer();
  const portal = await startPortal(await freshFile(), [], { smtp, environment: addressOf(server) });
  const text = {
    enabled: true,
    subject: "{{portal}}: {{ email }}",
    body: "Hello {{email}}.",
    sign_off: "{{portal}}",
  };
  for (const [field, wrong] of Object.entries({
    subject: "{{link}}",
    body: "{{constructor}}",
    sign_off: "{{x}}",
  })) {
    const { status, body } = await portal.ask(
      "POST",
      "/configuration",
      options({ key_email: { ...text, [field]: wrong } }),
    );
    assert.is(status, 422);
    const path = `mail_options.email_copy.key_email.${field}`;
    assert.equal(body.Errors, [
      `${path}: unknown placeholder ${wrong}; known here are {{email}}, {{portal}}`,
    ]);
  }
  const entry = { policy_id: "gold", config: options({ sign_up_email: { body: "{{link}} {{key}}" } }) };
  const refused = await portal.ask("POST", "/catalogue", { apis: [entry] });
  assert.is(refused.status, 422);
  await portal.ask("POST", "/branding", { name: "{{email}} & <b>Co</b>" });
  assert.is((await portal.ask("POST", "/configuration", options({ welcome_email: text }))).status, 200);
  await portal.ask("POST", "/developers", { email: "ann@example.com" });
  const mail = await next(server, 1);
  assert.match(mail.raw, /^Subject: {{email}} & <b>Co<\/b>: ann@example\.com\r$/m);
  assert.match(mail.raw, /^Content-Type: text\/plain/m);
  assert.is(mail.text, "Hello ann@example.com.\r\n\r\n{{email}} & <b>Co</b>\r\n");
  await portal.close();
  await server.close();
});

test("names and subjects cannot inject headers or recipients", async () => {
  const server = await startMailServer();
  const portal = await startPortal(await freshFile(), [], { smtp, environment: addressOf(server) });
  const evil = "a\r\nBcc: eve@example.com\r\n\r\nBody";
  await portal.ask("POST", "/configuration", {
    mail_options: {
      mail_from_name: `Eve <eve@example.com>, ${evil}`,
      mail_from_email: `eve@example.com\r\nBcc: eve@example.com`,
      email_copy: {
        welcome_email: { ...letter, subject: evil, body: ".\r\n.\r\nMAIL FROM:<eve@example.com>" },
      },
    },
  });
  await portal.ask("POST", "/developers", { email: "ann@example.com" });
  const mail = await next(server, 1);
  assert.equal([mail.from, mail.to], ["gateway@example.com", ["ann@example.com"]]);
  const headers = mail.raw.slice(0, mail.raw.indexOf("\r\n\r\n"));
  const names = headers
    .split("\r\n")
    .filter((line) => !/^\s/.test(line))
    .map((line) => line.slice(0, line.indexOf(":")));
  assert.equal(names.toSorted(), [
    "Content-Transfer-Encoding",
    "Content-Type",
    "Date",
    "From",
    "MIME-Version",
    "Message-ID",
    "Subject",
    "To",
  ]);
  assert.ok(mail.text.startsWith(".\r\n.\r\nMAIL FROM"));
  await portal.close();
  assert.is(server.mails.length, 1);
  await server.close();
});

interface ListedMail {
  readonly id: string;
  readonly kind: string;
  readonly to: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_failure: string;
}

async function mailsOf(portal: TestPortal): Promise<readonly ListedMail[]> {
  return (await portal.ask("GET", "/mails?p=-1")).body.Data as unknown as readonly ListedMail[];
}

test("an e-mail that the server rejects is given up, logged without addresses, and undoes nothing", async () => {
  const server = await startMailServer({
    onRcptTo: (_address, _session, done) => done(new Error("no such user ann@example.com")),
  });
  const portal = await startPortal(await freshFile(), [], { smtp, environment: addressOf(server) });
  const policy = await createPolicy(portal, "gold");
  await portal.ask("POST", "/configuration", options({ key_email: letter }));
  const { body } = await portal.ask("POST", "/developers", { email: "ann@example.com" });
  const { status, body: key } = await approve(portal, body.Message, policy);
  assert.is(status, 200);
  assert.is(await portal.call({ "X-Api-Key": key.RawKey }), 200);
  const line = await until(() => portal.lines.find(({ msg }) => msg === "e-mail given up"));
  assert.equal([line.mail, line.reason], ["key_email", "EENVELOPE (550)"]);
  assert.not.ok(JSON.stringify(line).includes("ann@"));
  const [mail, ...others] = await until(async () => {
    const mails = await mailsOf(portal);
    return mails[0]?.state === "given_up" && mails;
  });
  assert.equal(
    [others, mail?.id, mail?.kind, mail?.to, mail?.attempts, mail?.last_failure],
    [[], line.id, "key_email", "ann@example.com", 1, "EENVELOPE (550)"],
  );
  const rows = await inStore(portal.address, (connection) =>
    connection.selectFrom("portal_mails").selectAll().execute(),
  );
  assert.equal(
    rows.map((row) => row.letter),
    [""],
  );
  assert.not.ok(JSON.stringify(rows).includes(key.RawKey));
  assert.is((await portal.ask("POST", `/mails/${mail?.id}/retry`)).status, 409);
  assert.is((await portal.ask("POST", "/mails/none/retry")).status, 404);
  const foreign = { authorization: tokens.other };
  assert.is((await portal.ask("DELETE", `/mails/${mail?.id}`, undefined, foreign)).status, 404);
  const read = await portal.ask("GET", `/mails/${mail?.id}`);
  assert.equal(read.body as unknown, mail);
  assert.is((await portal.ask("GET", `/mails/${mail?.id}`, undefined, foreign)).status, 404);
  const remove = async (tag: string) =>
    (await portal.ask("DELETE", `/mails/${mail?.id}`, undefined, { "if-match": tag })).status;
  assert.equal([await remove('"x"'), await remove(read.headers.get("etag") ?? "")], [412, 200]);
  assert.equal(await mailsOf(portal), []);
  const metrics = await (await fetch(`${portal.admin}/metrics`)).text();
  assert.match(metrics, /^sluice_portal_mails_failed_total 1$/m);
  assert.match(metrics, /^sluice_store_up 1$/m);
  await checkMetrics(metrics);
  await portal.close();
  await server.close();
});

test("an e-mail is retried while the server is unreachable, and survives a restart", async () => {
  const [address, port] = [await freshFile(), await freePort()];
  const key = Buffer.alloc(32, 7).toString("base64");
  const environment = { ...addressOf({ port }), GW_WEBHOOK_SECRETS_KEY: key };
  const first = await startPortal(address, [], { smtp, environment });
  await first.ask("POST", "/configuration", options({ welcome_email: letter }));
  await first.ask("POST", "/developers", { email: "ann@example.com" });
  await until(async () => (await mailsOf(first)).some(({ attempts }) => attempts > 1));
  const [waiting] = await mailsOf(first);
  assert.equal([waiting?.state, waiting?.last_failure], ["waiting", "ESOCKET"]);
  assert.is(first.lines.filter(({ msg }) => msg === "e-mail not sent, trying again").length, 1);
  const rows = await inStore(address, (connection) =>
    connection.selectFrom("portal_mails").select("letter").execute(),
  );
  assert.match(rows[0]?.letter ?? "", /^aes-256-gcm:/);
  await first.close();
  const server = await startMailServer({}, port);
  const second = await startPortal(address, [], { smtp, environment });
  const mail = await next(server, 1);
  assert.equal([mail.to, mail.text], [["ann@example.com"], "The text.\r\n\r\nThe end.\r\n"]);
  assert.match(mail.raw, new RegExp(`^Message-ID: <${waiting?.id}@example\\.com>\\r$`, "m"));
  await until(async () => (await mailsOf(second)).length === 0);
  // An e-mail is counted after its deletion.
  const metrics = async () => (await fetch(`${second.admin}/metrics`)).text();
  await eventually(metrics, /^sluice_portal_mails_sent_total 1$/m);
  await second.close();
  assert.is(server.mails.length, 1);
  await server.close();
});

test("e-mails that waited too long, or were encrypted with another key, are given up", async () => {
  const [address, port] = [await freshFile(), await freePort()];
  const hasty = smtpMailer({ from: "gateway@example.com", retry_period: 60_000, retry_for: 1 });
  const portal = await startPortal(address, [], { smtp: hasty, environment: addressOf({ port }) });
  await portal.ask("POST", "/configuration", options({ welcome_email: letter }));
  await portal.ask("POST", "/developers", { email: "ann@example.com" });
  await until(async () => (await mailsOf(portal))[0]?.state === "given_up");
  await portal.close();
  const patient = smtpMailer({ from: "gateway@example.com", retry_period: 60_000 });
  const environment = (byte: number) => ({
    ...addressOf({ port }),
    GW_WEBHOOK_SECRETS_KEY: Buffer.alloc(32, byte).toString("base64"),
  });
  const former = await startPortal(address, [], { smtp: patient, environment: environment(1) });
  await former.ask("POST", "/developers", { email: "bob@example.com" });
  await until(async () => (await mailsOf(former))[1]?.attempts === 1);
  await former.close();
  const later = await startPortal(address, [], { smtp: patient, environment: environment(2) });
  const [, waiting] = await mailsOf(later);
  assert.is((await later.ask("POST", `/mails/${waiting?.id}/retry`)).status, 200);
  await until(async () => (await mailsOf(later))[1]?.last_failure === "it was encrypted with another key");
  assert.is((await later.ask("DELETE", `/developers/${await idOf(later, "bob@example.com")}`)).status, 200);
  assert.equal(
    (await mailsOf(later)).map(({ to }) => to),
    ["ann@example.com"],
  );
  await later.close();
});

async function idOf(portal: TestPortal, email: string): Promise<string> {
  return String((await portal.ask("GET", `/developers/email/${email}`)).body.id);
}

test("SMTP authentication is refused over unencrypted connections and to servers with untrusted certificates", async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "gate way" && password === "p@ss" ? done(null, { user: username }) : done(new Error("no")),
  });
  const environment = addressOf(server, "gate%20way:p%40ss@");
  const portal = await startPortal(await freshFile(), [], { smtp, environment });
  await portal.ask("POST", "/configuration", options({ welcome_email: letter }));
  await portal.ask("POST", "/developers", { email: "ann@example.com" });
  assert.is((await next(server, 1)).user, "gate way");
  await portal.close();
  assert.not.ok(JSON.stringify(portal.lines).includes("p@ss"));
  // An address of this machine that is not recognised as local, without TLS.
  await refusedAt(`smtp://gate%20way:p%40ss@0.0.0.0:${server.port}`, "ETLS (500)");
  assert.is(server.mails.length, 1);
  await server.close();
  const secure = await startMailServer({ secure: true });
  await refusedAt(`smtps://127.0.0.1:${secure.port}`, "ESOCKET");
  assert.is(secure.mails.length, 0);
  await secure.close();
});

/** Checks that the portal does not send an e-mail by the server at `url`, and that the reason has that code. */
async function refusedAt(url: string, code: string): Promise<void> {
  const portal = await startPortal(await freshFile(), [], { smtp, environment: { GW_SMTP_URL: url } });
  await portal.ask("POST", "/configuration", options({ welcome_email: letter }));
  await portal.ask("POST", "/developers", { email: "ann@example.com" });
  const failure = await until(() => portal.lines.find(({ msg }) => msg === "e-mail not sent, trying again"));
  assert.is(failure.reason, code);
  await portal.close();
}

test("closing the gateway releases e-mails in flight to an unresponsive server", async () => {
  let connections = 0;
  const silent = createServer((socket) => {
    connections += 1;
    socket.on("close", () => (connections -= 1)).resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const portal = await startPortal(await freshFile(), [], { smtp, environment: addressOf({ port }) });
  await portal.ask("POST", "/configuration", options({ welcome_email: letter }));
  for (const name of ["a", "b", "c"])
    await portal.ask("POST", "/developers", { email: `${name}@example.com` });
  await until(() => connections === 2);
  await portal.close();
  await until(() => connections === 0);
  const rows = await inStore(portal.address, (connection) =>
    connection.selectFrom("portal_mails").select(["attempts", "lease_holder", "given_up"]).execute(),
  );
  assert.equal(
    rows.map((row) => ({ ...row })),
    Array(3).fill({ attempts: 0, lease_holder: null, given_up: 0 }),
  );
  silent.close();
});

test("the SMTP address comes from the environment, and must be an SMTP URL", async () => {
  for (const [url, variables] of [
    [undefined, {}],
    ["smtp://mail.example.com", { GW_SMTP_URL: "http://secret@mail.example.com" }],
  ] as const) {
    const source = smtpMailer({ ...(url !== undefined && { url }), from: "a@example.com" });
    try {
      await startPortal(await freshFile(), [], { smtp: source, environment: variables });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, EnvironmentError);
      assert.match(String(error), "GW_SMTP_URL");
      assert.not.match(String(error), "secret");
    }
  }
});

test.run();
