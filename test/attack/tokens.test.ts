import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSigner, rawToken, signWith } from "../runtime/protections/authentication/signers.ts";
import { answersTo, endWell, refuseAll, request, startVictim } from "./attacked.ts";

const victim = await startVictim();
const { signer } = victim;
const now = Math.floor(Date.now() / 1000);
const claims = { sub: "mallory", iss: "https://issuer.test", aud: "shop", exp: now + 300 };
const good = await signer.sign(claims);
const [head = "", body = "", signature = ""] = good.split(".");
const stranger = await createSigner("RS256");
const publicKey = Buffer.from(signer.publicKey);

const tokens: Readonly<Record<string, string>> = {
  "alg none": rawToken({ alg: "none" }, claims),
  "alg none in other letters": rawToken({ alg: "nOnE" }, claims),
  "alg none with a signature": rawToken({ alg: "none" }, claims, signature),
  "no alg": rawToken({}, claims, signature),
  "alg as a list": rawToken({ alg: ["RS256"] }, claims, signature),
  "signed by the public key as a secret": await signWith(publicKey, claims, { alg: "HS256" }),
  "signed by the trimmed public key": await signWith(Buffer.from(signer.publicKey.trim()), claims, {
    alg: "HS384",
  }),
  "signed by another key": await stranger.sign(claims),
  "signed by a key that it brings along": await stranger.sign(claims, { jwk: stranger.jwk }),
  "signed by a key at an address that it names": await stranger.sign(claims, {
    jku: "http://127.0.0.1:1/keys",
  }),
  "signed by a certificate that it names": await stranger.sign(claims, { x5u: "http://127.0.0.1:1/cert" }),
  "a file as the name of the key": await stranger.sign(claims, { kid: "../../../../dev/null" }),
  "another algorithm of the same family": await (await createSigner("PS256")).sign(claims),
  "an extension that has to be understood": rawToken(
    { alg: "RS256", crit: ["exp"], exp: 1 },
    claims,
    signature,
  ),
  "other claims below the signature": `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: "root" })).toString("base64url")}.${signature}`,
  "no signature": `${head}.${body}.`,
  "no dots": good.replaceAll(".", ""),
  "five parts": `${head}.${body}.${signature}.${body}.${signature}`,
  "only dots": "..",
  expired: await signer.sign({ ...claims, exp: now - 10 }),
  "valid later": await signer.sign({ ...claims, nbf: now + 300 }),
  "an end that is no number": await signer
    .sign({ ...claims, exp: "never" as never })
    .catch(() => rawToken({ alg: "RS256" }, { ...claims, exp: "never" }, signature)),
  "of another issuer": await signer.sign({ ...claims, iss: "https://issuer.test.evil" }),
  "of no issuer": await signer.sign({ sub: "a", aud: "shop" }),
  "for another audience": await signer.sign({ ...claims, aud: "till" }),
  "for no audience": await signer.sign({ sub: "a", iss: "https://issuer.test" }),
  "for audiences that contain it as text": await signer.sign({ ...claims, aud: ["shopping", "myshop"] }),
  "an enormous one": `${head}.${"A".repeat(6000)}.${signature}`,
};

refuseAll("token", victim, [
  ...Object.entries(tokens).map(
    ([name, token]) =>
      [name, request("/tokens/new", { headers: [`Authorization: Bearer ${token}`] })] as const,
  ),
  [
    "good, then bad",
    request("/tokens/new", { headers: [`Authorization: Bearer ${good}`, "Authorization: Bearer x"] }),
  ],
  [
    "bad, then good",
    request("/tokens/new", { headers: ["Authorization: Bearer x", `Authorization: Bearer ${good}`] }),
  ],
  ["in the query, where none is asked for", request(`/tokens/new?access_token=${good}`)],
  ["in the body", request("/tokens/new", { body: `access_token=${good}` })],
]);

test("a valid token is accepted (control)", async () => {
  const headers = [`Authorization: Bearer ${good}`];
  assert.equal(await answersTo(victim.port, request("/tokens/new", { headers })), [200]);
});

endWell(victim);
test.run();
